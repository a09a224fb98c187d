"""A field whose value has a type that it cannot have.

Whoever loads the file fails, or computes with it all the same: `true` is 1 in Python, and a list times a number is a
longer list.

Bad: {"intermediate_size": [14336]}
Good: {"intermediate_size": 14336}
Source: transformers configuration classes, which declare the type of each field
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import sizes
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    found: set[str] = set()
    for field, value in sizes.fields(subject):
        if not sizes.is_whole(value) and not sizes.may_differ(value):
            found.add(field)
            yield Fault(
                field, f"{field} must be an integer, got {shown(value)}", "Write a whole number without quotes."
            )
    for trouble in subject.troubles:
        wrong = "should be a valid" in trouble.message or trouble.message.startswith("must be an integer")
        if wrong and trouble.field not in found:
            yield Fault(trouble.field, f"{trouble.field}: {trouble.message}", _hint(trouble.message))
    yield from _tables(subject.raw)


def _tables(raw: Mapping[str, Any]) -> Iterator[Fault]:
    for key in ("text_config", "vision_config", "quantization_config", "rope_scaling"):
        value = raw.get(key)
        if value is not None and not isinstance(value, Mapping):
            yield Fault(key, f"{key} must be an object, got {shown(value)}", "Write an object, or leave the key out.")


def _hint(message: str) -> str:
    for word, hint in (("list", "Write a list."), ("boolean", "Write true or false."), ("string", "Write a string.")):
        if f"valid {word}" in message:
            return hint
    return "Write a whole number without quotes." if "integer" in message else ""
