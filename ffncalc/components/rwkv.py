"""RWKV-4: time mixing by the WKV recurrence, and the gate of its channel mixing."""

from __future__ import annotations

from ffncalc.components.linear import linear, vector
from ffncalc.components.recurrence import recurrence, state
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class TimeMix(Component):
    """Time mixing of RWKV-4 (arXiv:2305.13048): a numerator a and a denominator b for each of `inner` channels.

    a ← e^(-w) ⊙ a + e^k ⊙ v, b ← e^(-w) ⊙ b + e^k, wkv = (a + e^(u+k) ⊙ v) / (b + e^(u+k)): four products per
    channel. Weights: key, value and receptance [inner, width], output [width, inner], time_decay and time_first
    [inner], three token-shift gains [1, 1, width]. The cache holds a, b, the running maximum and the last input.
    """

    slot = "mixer"

    width: int
    inner: int

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            vector("time_decay", self.inner, Role.MIXER),
            vector("time_first", self.inner, Role.MIXER),
            *(shift(name, self.width, Role.MIXER) for name in ("key", "value", "receptance")),
            *(t for name in ("key", "value", "receptance") for t in linear(name, self.width, self.inner, Role.MIXER)),
            *linear("output", self.inner, self.width, Role.MIXER),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.inner, 4, "arXiv:2305.13048, WKV in recurrent form"),)

    def cache(self) -> tuple[Cache, ...]:
        return (state(3 * self.inner + self.width),)

    def describe(self) -> str:
        return "rwkv"


@record(frozen=True, kw_only=True)
class Receptance(Component):
    """What RWKV-4's channel mixing has besides its two-matrix FFN: σ(receptance(x)) ⊙ FFN(x), on shifted tokens.

    Weights: receptance [width, width] and two token-shift gains [1, 1, width]. The cache holds the last input.
    """

    width: int

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *(shift(name, self.width, Role.DENSE) for name in ("key", "receptance")),
            *linear("receptance", self.width, self.width, Role.DENSE),
        )

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.width),)


def shift(name: str, width: int, role: Role) -> Tensor:
    """How much of this token and how much of the last one enters a projection: [1, 1, width]."""
    return Tensor(f"time_mix_{name}", (1, 1, width), role, use=Use.ELEMENTWISE)
