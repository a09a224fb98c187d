"""Fields that contradict each other or the family, so that no model can be built from them.

What is wrong is said in the words of the family; other rules name the commoner mistakes. A warning
where the family has such models, but no description of them is here yet.

Base: google-bert/bert-base-uncased
Bad: {"add_cross_attention": true, "is_decoder": false}
Good: {"add_cross_attention": true, "is_decoder": true}
Source: the modelling code of each family in transformers
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject
from ffncalc.errors import FfncalcError, UnsupportedModel
from ffncalc.schema import MUST

SEVERITY = Severity.ERROR
OTHERS = ("missing", "must be a positive integer", "must be between", *MUST.values())


def check(subject: Subject) -> Iterator[Fault]:
    """Faults here give way to those that another rule has for the same field (see the runner)."""
    error = subject.outcome
    for trouble in subject.troubles:
        if not trouble.message.startswith(OTHERS):
            prefix = f"{trouble.field}: " if trouble.field else ""
            beyond = Severity.WARNING if "not described" in trouble.message else None  # the file may well be right
            yield Fault(trouble.field, prefix + trouble.message, trouble.hint, severity=beyond)
    if isinstance(error, FfncalcError) and not subject.troubles and not isinstance(error, UnsupportedModel):
        yield Fault("", error.message, error.hint)
