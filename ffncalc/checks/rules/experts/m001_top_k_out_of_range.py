"""More experts per token than there are, or none.

The router cannot choose them; loaders accept 200 of 128, and null where the class has no number of its own.

Base: Qwen/Qwen3-30B-A3B
Bad: {"num_experts_per_tok": 200}
Good: {"num_experts_per_tok": 8}
Source: https://arxiv.org/abs/1701.06538
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject, whole

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        experts, top_k = part.count("num_experts"), whole(part.get("num_experts_per_tok"), -(10**9))
        at, other = part.at("num_experts_per_tok"), part.at("num_experts")
        if experts and part.get("num_experts_per_tok") is None and _reads(part):
            state = "missing" if part.key("num_experts_per_tok") is None else "null"
            yield Fault(at, f"{at} is {state}, but there are {experts} experts ({other})", f"Write 1 to {experts}.")
        if not experts or top_k is None or 1 <= top_k <= experts:
            continue
        yield Fault(
            at, f"{at} is {top_k}, but there are {experts} experts ({other})", f"Write 1 to {experts}.", also=(other,)
        )


def _reads(part: Part) -> bool:
    """Whether the family takes the number from this field."""
    return part.family is not None and "num_experts_per_tok" in part.family.fields()
