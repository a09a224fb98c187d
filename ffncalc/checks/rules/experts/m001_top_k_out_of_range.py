"""More experts per token than there are, or none.

The router cannot choose them; loaders accept 200 of 128.

Base: Qwen/Qwen3-30B-A3B
Bad: {"num_experts_per_tok": 200}
Good: {"num_experts_per_tok": 8}
Source: https://arxiv.org/abs/1701.06538
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject, whole

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        experts, top_k = part.count("num_experts"), whole(part.get("num_experts_per_tok"), -(10**9))
        if not experts or top_k is None or 1 <= top_k <= experts:
            continue
        at, other = part.at("num_experts_per_tok"), part.at("num_experts")
        yield Fault(
            at, f"{at} is {top_k}, but there are {experts} experts ({other})", f"Write 1 to {experts}.", also=(other,)
        )
