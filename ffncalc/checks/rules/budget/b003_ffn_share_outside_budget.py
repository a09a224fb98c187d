"""The FFN's share of the work of a token lies outside its budget.

The share at a context says whether a model spends its FLOPs on knowledge or on attention; both ends can be held.

Settings: budgets = {"min-ffn-share" = "50%@8192", "max-ffn-share" = "65%@8192"}
Bad: {"intermediate_size": 7168}
Good: {"intermediate_size": 16384}
Source: `ffncalc flops --ctx 8192` shows the share
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.flops import flops
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.budget.limits import hint
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    model = subject.model
    if model is None:
        return
    for key, name, sign in (("min_ffn_share", "min-ffn-share", 1), ("max_ffn_share", "max-ffn-share", -1)):
        limit = subject.limit_of_share(key)
        if limit is None:
            continue
        (point,) = flops(model, ctx=limit.ctx).points
        if sign * point.ffn_share < sign * limit.share:
            word = "at least" if sign > 0 else "at most"
            yield Fault(
                subject.main.at("intermediate_size"),
                f"the FFN is {100 * point.ffn_share:.1f} % of the FLOPs of a token at {limit.ctx:,}, "
                f"the budget is {word} {100 * limit.share:g} %",
                hint(name),
            )
