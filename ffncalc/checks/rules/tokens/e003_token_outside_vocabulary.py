"""The id of a special token is outside the vocabulary.

Looking it up reads past the table: an error, or on a GPU a crash. -1 stands for no token in some files.

Bad: {"eos_token_id": [128001, 128256]}
Good: {"eos_token_id": [128001, 128009]}
Source: transformers warns about it and loads on
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.document import child
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject, whole

SEVERITY = Severity.ERROR
FIELDS = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "sep_token_id", "unk_token_id")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        rows = part.size("vocab_size")
        if rows is None:
            rows = next((n for other in subject.text if (n := other.size("vocab_size")) is not None), None)
        if rows is not None and part.given("vocab_size") is not None:
            yield from _ids(part, rows)


def _ids(part: Part, rows: int) -> Iterator[Fault]:
    for field in FIELDS:
        value = part.raw.get(field)
        listed = isinstance(value, list)
        for i, each in enumerate(value if isinstance(value, list) else [value]):
            number = whole(each, -(10**9))
            if number is None or 0 <= number < rows:
                continue
            at = child(part.prefix.rstrip("."), field) + (f"[{i}]" if listed else "")
            yield Fault(
                at,
                f"{at} {number} is outside the vocabulary: ids are 0 to {rows - 1}",
                "Write null for no token." if number < 0 else f"Write an id below {part.at('vocab_size')} {rows}.",
                severity=_severity(field, number, rows),
                also=(part.at("vocab_size"),),
            )


def _severity(field: str, number: int, rows: int) -> Severity | None:
    """-1 is a way to say none."""
    return Severity.WARNING if number == -1 else None
