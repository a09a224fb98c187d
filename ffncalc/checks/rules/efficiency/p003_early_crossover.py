"""Attention costs more than the FFN long before the context ends.

From the crossover on, most of the work of a token is attention: the cost of long contexts is not what the parameters
suggest.

Bad: {"max_position_embeddings": 131072}
Good: {"max_position_embeddings": 32768}
Source: `ffncalc crossover` shows where, and why
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.crossover import crossover
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.INFO
SHARE = 4  # of the longest context


def check(subject: Subject) -> Iterator[Fault]:
    model = subject.model
    if model is None or not model.max_context:
        return
    found = crossover(model).ctx
    longest = int(model.max_context)
    if found is not None and found * SHARE < longest:
        at = subject.main.at("max_position_embeddings")
        yield Fault(at, f"attention costs more than the FFN from {found:,} of {longest:,} tokens on")
