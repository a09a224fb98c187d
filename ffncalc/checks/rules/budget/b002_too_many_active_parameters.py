"""One token uses more parameters than the budget allows.

Active parameters decide what a token costs; raising the number of experts that a token uses leaves the total as it is.

Base: mistralai/Mixtral-8x7B-v0.1
Settings: budgets = {"max-active" = "13B"}
Bad: {"num_experts_per_tok": 4}
Good: {"num_experts_per_tok": 1}
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
    limit = subject.limit("max_active")
    if limit is not None and subject.model is not None:
        yield from over("active parameters", params(subject.model).active, limit, "max-active")
