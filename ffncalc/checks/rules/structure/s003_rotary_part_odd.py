"""The part of a head that is rotated has an odd width.

Rotary embeddings turn pairs of values; half of an odd number is no number of pairs.

Bad: {"head_dim": 127}
Good: {"head_dim": 128}
Source: https://arxiv.org/abs/2104.09864
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.structure.rotary import rotates, shares
from ffncalc.checks.subject import Part, Subject

SEVERITY = Severity.ERROR
OWN = ("qk_rope_head_dim", "rotary_dim")  # the rotated part has a field of its own


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        own = next((field for field in OWN if part.size(field)), None)
        if own is not None:
            if (width := part.size(own) or 0) % 2:
                yield _odd(part.at(own), width, f"Write {width + 1} or {width - 1}.")
        elif rotates(part):
            yield from _heads(part)
            if (full := part.size("global_head_dim")) and full % 2:
                yield _odd(part.at("global_head_dim"), full, _even(full, 1.0))


def _heads(part: Part) -> Iterator[Fault]:
    named = part.size("head_dim")
    heads, width = part.size("num_attention_heads"), part.size("hidden_size")
    if named is None and (heads is None or width is None or width % heads):  # S001 has to do with the rest
        return
    dim = named or (width or 0) // (heads or 1)
    odd = next((share for share in shares(part) if int(dim * share.value) % 2), None)
    if odd is None:
        return
    rotated = int(dim * odd.value)
    if odd.at and dim % 2 == 0:
        yield _odd(odd.at, rotated, f"Write {_factor(rotated + 1, dim)} or {_factor(rotated - 1, dim)}.")
    elif named is not None:
        yield _odd(part.at("head_dim"), rotated, _even(dim, odd.value))
    else:
        at, other = part.at("hidden_size"), part.at("num_attention_heads")
        yield _odd(at, rotated, _even(dim, odd.value, heads or 1), also=(other,))


def _even(dim: int, share: float, heads: int = 1) -> str:
    """What to write for heads whose rotated part is even, those nearest in width first."""
    near = sorted(range(max(2, dim - 64), dim + 65), key=lambda n: abs(n - dim))
    good = [n * heads for n in near if n % 2 == 0 and (rotated := int(n * share)) and rotated % 2 == 0][:2]
    return f"Write {' or '.join(map(str, good))}." if good else ""


def _factor(rotated: int, dim: int) -> str:
    """The share, in four digits, that rotates so many values of a head; rounded up, since the product is cut."""
    return f"{min(1.0, ceil(rotated / dim * 10_000) / 10_000):g}"


def _odd(at: str, width: int, hint: str, also: tuple[str, ...] = ()) -> Fault:
    return Fault(at, f"{width} values of a head are rotated, which is an odd number", hint, also=also)
