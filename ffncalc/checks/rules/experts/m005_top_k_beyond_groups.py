"""More experts per token than the chosen groups hold.

The router fills the rest with experts whose score was masked out.

Base: deepseek-ai/DeepSeek-V3
Bad: {"n_group": 64, "topk_group": 1}
Good: {"n_group": 8, "topk_group": 4}
Source: https://arxiv.org/abs/2412.19437 (section 2.1.2)
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        experts, groups, chosen = part.size("num_experts"), part.size("n_group"), part.size("topk_group")
        top_k = part.size("num_experts_per_tok")
        if experts is None or groups is None or chosen is None or top_k is None or experts % groups or chosen > groups:
            continue
        reach = experts // groups * chosen
        if reach < top_k <= experts:
            at, other = part.at("num_experts_per_tok"), part.at("topk_group")
            message = f"{at} is {top_k}, but {chosen} of {groups} groups ({other}) hold {reach} experts"
            yield Fault(at, message, f"Write at most {reach}, or choose more groups.", also=(other,))
