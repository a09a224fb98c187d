"""A field whose value has a type that it cannot have.

Whoever loads the file fails, or computes with it all the same: `true` is 1 in Python, and a list times a number is a
longer list.

Bad: {"intermediate_size": [14336]}
Good: {"intermediate_size": 14336}
Source: transformers configuration classes, which declare the type of each field
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.quantisation import wrong_fields
from ffncalc.checks.rules.file import sizes, values
from ffncalc.checks.subject import NESTED, Subject, shown
from ffncalc.schema import MUST

SEVERITY = Severity.ERROR
HINTS = {
    "true or false": "Write true or false, without quotes.",
    "a number": "Write it without quotes.",
    "list of integers": "Write the ids without quotes.",
    "two positive integers": "Write rows and columns, such as [128, 128].",
    "integer": "Write a whole number without quotes.",
}
OBJECTS = (*NESTED, "vision_config", "audio_config", "quantization_config", "rope_scaling", "rope_parameters")


def check(subject: Subject) -> Iterator[Fault]:
    found: set[str] = set()
    for field, value in _tables(subject):
        found.add(field)
        yield Fault(field, f"{field} must be an object, got {shown(value)}", "Write an object, or leave the key out.")
    for field, value in sizes.fields(subject):
        if not sizes.is_whole(value) and not sizes.may_differ(field, value):
            found.add(field)
            yield Fault(
                field, f"{field} must be an integer, got {shown(value)}", "Write a whole number without quotes."
            )
    for field, message, is_type in values.wrong(subject):
        if is_type:
            found.add(field)
            yield Fault(field, message, _hint(message))
    for trouble in subject.troubles:
        wrong = trouble.message.startswith(tuple(MUST.values())) or sizes.is_of_wrong_type(trouble.message)
        if wrong and trouble.field not in found:
            yield Fault(trouble.field, f"{trouble.field}: {trouble.message}", _hint(trouble.message))
    for field, message in wrong_fields(subject.raw, types=True):
        yield Fault(field, f"{field} {message}", _hint(message))


def _tables(subject: Subject) -> Iterator[tuple[str, object]]:
    """(field, value) of what should be an object and is none, in the file and in the language model inside."""
    tables = {"": subject.raw} | {part.prefix: part.raw for part in subject.text}
    for prefix, raw in tables.items():
        for key in OBJECTS:
            value = raw.get(key)
            if value is not None and not isinstance(value, Mapping):
                yield prefix + key, value


def _hint(message: str) -> str:
    return next((hint for word, hint in HINTS.items() if word in message), "")
