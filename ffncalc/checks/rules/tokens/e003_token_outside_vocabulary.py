"""The id of a special token is outside the vocabulary.

Looking it up reads past the table: an error, or on a GPU a crash. -1 stands for no token in some files, and a padding
token outside the config of the language model is not the one that it is built with: a warning for both.

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
FIELDS = (
    "bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "sep_token_id", "unk_token_id",
    "cls_token_id", "mask_token_id", "forced_bos_token_id", "forced_eos_token_id", "suppress_tokens",
    "begin_suppress_tokens",
)  # fmt: skip


def check(subject: Subject) -> Iterator[Fault]:
    sized = next((part for part in subject.text if part.size("vocab_size") is not None), None)
    for part in (*subject.text, *_around(subject)):
        own = part if part.size("vocab_size") is not None else sized
        rows = None if own is None else own.size("vocab_size")
        if own is not None and rows is not None and own.given("vocab_size") is not None:
            yield from _ids(part, rows, own.at("vocab_size"), outside=part.prefix != subject.main.prefix)


def _around(subject: Subject) -> Iterator[Part]:
    """The file, and what else the language model is nested in: its tokens are those of the language model."""
    keys = subject.main.prefix.split(".")[:-1]
    table, prefix = subject.translated, ""
    for key in keys:
        if all(part.prefix != prefix for part in subject.text):
            yield Part(table, prefix, "")
        table, prefix = table[key], f"{prefix}{key}."


def _ids(part: Part, rows: int, vocabulary: str, *, outside: bool) -> Iterator[Fault]:
    for field in FIELDS:
        value = part.raw.get(field)
        listed = isinstance(value, list)
        for i, each in enumerate(value if isinstance(value, list) else [value]):
            number = whole(each, -(10**9))
            if number is None or 0 <= number < rows:
                continue
            at = child(part.prefix.rstrip("."), field) + (f"[{i}]" if listed else "")
            mild = number == -1 or (field == "pad_token_id" and outside)
            yield Fault(
                at,
                f"{at} {number} is outside the vocabulary: ids are 0 to {rows - 1}",
                "Write null for no token." if number < 0 else f"Write an id below {vocabulary} {rows}.",
                severity=Severity.WARNING if mild else None,
                also=(vocabulary,),
            )
