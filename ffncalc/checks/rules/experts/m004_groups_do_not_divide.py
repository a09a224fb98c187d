"""The groups that a router chooses from do not divide the experts, or more groups are chosen than there are.

Group-limited routing reshapes the experts into groups of equal size.

Base: deepseek-ai/DeepSeek-V3
Bad: {"n_group": 7}
Good: {"n_group": 8}
Source: https://arxiv.org/abs/2412.19437 (section 2.1.2)
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.divisors import divisors
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        experts, groups = part.size("num_experts"), part.size("n_group")
        if experts is None or groups is None:
            continue
        at, other = part.at("n_group"), part.at("num_experts")
        if experts % groups:
            good = [n for n in divisors(experts) if n <= 64]
            hint = f"Write one of {', '.join(map(str, good))}."
            yield Fault(at, f"{at} {groups} does not divide the {experts} experts ({other})", hint, also=(other,))
        chosen = part.count("topk_group")
        if chosen is not None and part.given("topk_group") is not None and not 1 <= chosen <= groups:
            at = part.at("topk_group")
            yield Fault(
                at, f"{at} is {chosen}, but there are {groups} groups ({part.at('n_group')})", f"Write 1 to {groups}."
            )
