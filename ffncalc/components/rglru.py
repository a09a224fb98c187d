"""Griffin's recurrent block."""

from __future__ import annotations

from ffncalc.components.linear import linear, vector
from ffncalc.components.mamba import depthwise, gains
from ffncalc.components.recurrence import recurrence, state
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class RecurrentBlock(Component):
    """Real-gated linear recurrent unit between two branches (arXiv:2402.19427).

    h ← a ⊙ h + √(1 - a²) ⊙ (i ⊙ x): two products per channel (decay, write); the state is the output.
    Weights: linear_x and linear_y [inner, width], linear_out [width, inner], all with a bias; a depthwise conv_1d;
    input and recurrence gates, block-diagonal in `heads` blocks [heads, inner / heads, inner / heads].
    """

    slot = "mixer"

    width: int
    inner: int
    heads: int
    kernel: int

    def tensors(self) -> tuple[Tensor, ...]:
        block = self.inner // self.heads
        gates = tuple(
            tensor
            for name in ("input_gate", "recurrent_gate")
            for tensor in (
                Tensor(f"rg_lru.{name}_weight", (self.heads, block, block), Role.MIXER),
                gains(f"rg_lru.{name}_bias", self.heads, block),
            )
        )
        return (
            *linear("linear_y", self.width, self.inner, Role.MIXER, bias=True),
            *linear("linear_x", self.width, self.inner, Role.MIXER, bias=True),
            *linear("linear_out", self.inner, self.width, Role.MIXER, bias=True),
            *depthwise("conv_1d", self.inner, self.kernel, bias=True),
            vector("rg_lru.recurrent_param", self.inner, Role.MIXER),
            *gates,
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.inner, 2, "arXiv:2402.19427, RG-LRU"),)

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.inner, self.inner, self.kernel),)

    def describe(self) -> str:
        return "rg-lru"
