"""The model has more parameters than its budget allows.

A layer more or a wider FFN can outgrow the device that a model is meant for, and nothing else in a review shows it.

Settings: budgets = {"max-params" = "8.1B"}
Bad: {"intermediate_size": 16384}
Good: {"num_hidden_layers": 30}
Source: `ffncalc params` counts them
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.params import params
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.budget.limits import over
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    limit = subject.limit("max_params")
    if limit is not None and subject.model is not None:
        yield from over("parameters", params(subject.model).total, limit, "max-params")
