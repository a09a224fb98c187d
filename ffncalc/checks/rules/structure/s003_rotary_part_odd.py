"""The part of a head that is rotated has an odd width.

Rotary embeddings turn pairs of values; half of an odd number is no number of pairs.

Bad: {"head_dim": 127}
Good: {"head_dim": 128}
Source: https://arxiv.org/abs/2104.09864
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        rope = part.size("qk_rope_head_dim") if part.get("kv_lora_rank") else None
        if rope is not None:
            if rope % 2:
                yield _odd(part.at("qk_rope_head_dim"), rope)
            continue
        dim = part.size("head_dim")
        if dim is None or not rotates(part):
            continue
        share = partial(part)
        rotated = int(dim * share)
        if rotated % 2:
            yield _odd(part.at("head_dim"), rotated)


def rotates(part: Part) -> bool:
    """Whether the file speaks of rotary embeddings."""
    return any(part.get(key) is not None for key in ("rope_theta", "rope_scaling", "rope_parameters", "rotary_pct"))


def partial(part: Part) -> float:
    """The share of a head that is rotated."""
    nested = part.get("rope_parameters")
    inner = nested.get("partial_rotary_factor") if isinstance(nested, Mapping) else None
    for value in (part.given("partial_rotary_factor"), part.given("rotary_pct"), inner):
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
            return value
    return 1.0


def _odd(at: str, width: int) -> Fault:
    return Fault(
        at, f"{width} values of a head are rotated, which is an odd number", f"Write {width + 1} or {width - 1}."
    )
