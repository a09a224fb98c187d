"""Key/value heads that do not divide the query heads.

Each key/value head serves the same number of query heads; loaders accept any number, and the first forward pass fails.

Bad: {"num_key_value_heads": 7}
Good: {"num_key_value_heads": 8}
Source: https://arxiv.org/abs/2305.13245
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.divisors import divisors
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        heads, kv = part.size("num_attention_heads"), part.size("num_key_value_heads")
        latent = part.get("kv_lora_rank") or part.get("q_lora_rank")
        if heads is None or kv is None or latent or heads % kv == 0:
            continue
        at, other = part.at("num_key_value_heads"), part.at("num_attention_heads")
        what = f"more than {other} {heads}" if kv > heads else f"no divisor of {other} {heads}"
        yield Fault(at, f"{at} {kv} is {what}", f"Write one of {_listed(divisors(heads))}.", also=(other,))


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
