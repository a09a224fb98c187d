"""Attention overtakes the FFN at a shorter context than the budget allows.

From the crossover on, the work of a token grows mostly with its context: a service that is sized by the parameters
is sized wrong.

Settings: budgets = {"min-crossover" = "16k"}
Bad: {"intermediate_size": 7168}
Good: {"intermediate_size": 16384}
Source: `ffncalc crossover` shows where, and why
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.crossover import crossover
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.budget.limits import hint
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    limit = subject.limit("min_crossover")
    if limit is None or subject.model is None:
        return
    found = crossover(subject.model).ctx
    if found is not None and found < limit:
        yield Fault(
            subject.main.at("intermediate_size"),
            f"attention costs more than the FFN from {found:,} tokens on, the budget is {limit:,}",
            hint("min-crossover"),
        )
