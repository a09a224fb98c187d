"""A size that is zero, negative or absurdly large, or another number that cannot be what it is.

Loaders accept most of them: a model of -1 layers is built without any, and a width of -1 fails much later. A base of
rotary embeddings is above zero, a dropout and an epsilon lie between 0 and 1.

Bad: {"intermediate_size": -1}
Good: {"intermediate_size": 14336}
Source: transformers 5.24 builds a model from num_hidden_layers -1
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.quantisation import wrong_fields
from ffncalc.checks.rules.file import sizes, values
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    found: set[str] = set()
    for field, value in sizes.fields(subject):
        low, high = sizes.limits(field)
        if sizes.is_whole(value) and isinstance(value, int | float) and not low <= value <= high:
            found.add(field)
            rule = f"at least {low}" if value < low else f"at most {high:,}"
            yield Fault(field, f"{field} must be {rule}, got {shown(value)}", "Write the size that the weights have.")
    for trouble in subject.troubles:
        outside = trouble.message.startswith(("must be a positive integer", "must be between"))
        if outside and trouble.field not in found and not sizes.is_of_wrong_type(trouble.message):
            yield Fault(trouble.field, f"{trouble.field} {trouble.message}", "Write the size that the weights have.")
    for field, message, is_type in values.wrong(subject):
        if not is_type:
            yield Fault(field, message)
    for field, message in wrong_fields(subject.raw, types=False):
        yield Fault(field, f"{field} {message}", "Write what the weights were quantised with.")
