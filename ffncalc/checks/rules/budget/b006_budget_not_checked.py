"""There is a budget for a model that cannot be counted.

A budget that nobody checks would pass: the type is not described here, a size is missing or wrong, or the file
holds no config. Reported beside what other rules say of the cause.

Settings: budgets = {"max-params" = "8B"}
Bad: {"model_type": "detr"}
Good: {"num_hidden_layers": 30}
Source: `ffncalc archs` lists the described types
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    why = subject.uncounted
    if why is not None and subject.settings.limits(subject.path):
        message = f"the budget cannot be checked: {why.message}"
        yield Fault(why.field, message, "Ignore B006 for this file if that is meant.")
