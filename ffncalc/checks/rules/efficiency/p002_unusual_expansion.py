"""An FFN that is unusually narrow or wide for its kind.

Gated ones are 2 to 6 times as wide as the model, plain ones 4 times; another ratio may mean that the wrong field was
picked. Experts are narrow on purpose and are left alone.

Bad: {"intermediate_size": 2048}
Good: {"intermediate_size": 14336}
Source: https://arxiv.org/abs/2002.05202
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.params import expansions
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject
from ffncalc.formula import labels

SEVERITY = Severity.INFO


def check(subject: Subject) -> Iterator[Fault]:
    if subject.model is None:
        return
    for each in expansions(subject.model):
        low, high = (2.0, 6.0) if each.gated else (2.0, 8.0)
        if each.kind != "dense" or low <= each.ratio <= high:
            continue
        at = (labels(each.hidden) or [subject.main.at("intermediate_size")])[-1]
        kind = "gated" if each.gated else "plain"
        yield Fault(
            at,
            f"a {kind} FFN of {int(each.hidden)} is {each.ratio:.2f} times the width {int(each.width)}",
            f"Usual is {low:.0f} to {high:.0f}: is this the field that was meant?",
        )
