"""LFM2's gated short convolution."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.components.mamba import depthwise
from ffncalc.components.recurrence import state
from ffncalc.ir import Cache, Component, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class ShortConv(Component):
    """out(C ⊙ conv(B ⊙ x)) with B, C and x from one projection (arXiv:2511.23404).

    Weights: in_proj [3·width, width], out_proj [width, width], a depthwise conv [width, 1, kernel]. There is no
    recurrent state, and the taps of the convolution are 0 FLOPs as in every other mixer.
    """

    slot = "mixer"

    width: int
    kernel: int
    bias: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *depthwise("conv", self.width, self.kernel, bias=self.bias),
            *linear("in_proj", self.width, 3 * self.width, Role.MIXER, bias=self.bias),
            *linear("out_proj", self.width, self.width, Role.MIXER, bias=self.bias),
        )

    def cache(self) -> tuple[Cache, ...]:
        return (state(0, self.width, self.kernel),)

    def describe(self) -> str:
        return "short convolution"
