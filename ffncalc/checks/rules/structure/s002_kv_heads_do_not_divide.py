"""Key/value heads that do not divide the query heads.

Each key/value head serves the same number of query heads; loaders accept any number, and the first forward pass fails.
So it is with the key heads of linear attention and its value heads, and with the groups of a Mamba-2 mixer and its
heads.

Bad: {"num_key_value_heads": 7}
Good: {"num_key_value_heads": 8}
Source: https://arxiv.org/abs/2305.13245
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.divisors import divisors
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject

SEVERITY = Severity.ERROR


# Key heads or groups, and the heads that share them.
SHARED = (
    ("linear_num_key_heads", "linear_num_value_heads"),
    ("n_groups", "mamba_num_heads"),
    ("n_groups", "num_heads"),
    ("mamba_n_groups", "mamba_n_heads"),
    ("mamba_ngroups", "n_mamba_heads"),
)


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        if not (part.get("kv_lora_rank") or part.get("q_lora_rank")):
            yield from _undivided(part, "num_key_value_heads", "num_attention_heads")
        for fewer, more in SHARED:
            if part.given(fewer) is None and part.given(more) is None:
                continue
            instead = more if part.get(more) is not None or part.model_type != "olmo_hybrid" else "num_attention_heads"
            yield from _undivided(part, fewer, instead)


def _undivided(part: Part, fewer: str, more: str) -> Iterator[Fault]:
    few, heads = part.size(fewer), part.size(more)
    if few is None or heads is None or heads % few == 0:
        return
    at, other = part.at(fewer), part.at(more)
    what = f"more than {other} {heads}" if few > heads else f"no divisor of {other} {heads}"
    yield Fault(at, f"{at} {few} is {what}", f"Write one of {_listed(divisors(heads))}.", also=(other,))


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
