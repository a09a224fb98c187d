"""MobileBERT's attention, whose values come from the full width."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear
from ffncalc.ir import Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class BottleneckAttention(Component):
    """Multi-head attention in a narrow width (arXiv:2004.02984).

    Weights: query, key and output [width, width], value [width, value_width], with biases.
    """

    slot = "mixer"

    width: int
    heads: int
    value_width: int

    def tensors(self) -> tuple[Tensor, ...]:
        role = Role.ATTENTION
        return (
            *linear("self.query", self.width, self.width, role, bias=True),
            *linear("self.key", self.width, self.width, role, bias=True),
            *linear("self.value", self.value_width, self.width, role, bias=True),
            *linear("output.dense", self.width, self.width, role, bias=True),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.width // self.heads)),)

    def describe(self) -> str:
        return "full attention"
