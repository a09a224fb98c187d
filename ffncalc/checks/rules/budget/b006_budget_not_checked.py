"""There is a budget for a model that cannot be counted.

A model type that is not described here is otherwise only worth a warning; a budget that nobody checks would pass
without one.

Settings: budgets = {"max-params" = "8B"}
Bad: {"model_type": "detr"}
Good: {"num_hidden_layers": 30}
Source: `ffncalc archs` lists the described types
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject
from ffncalc.errors import UnsupportedModel

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    error = subject.outcome
    if isinstance(error, UnsupportedModel) and subject.settings.limits(subject.path):
        reason = error.message.rstrip(".")
        yield Fault(
            "model_type", f"the budget cannot be checked: {reason}", "Ignore B006 for this file if that is meant."
        )
