"""Convolutions that mix channels."""

from __future__ import annotations

from ffncalc.components.linear import vector
from ffncalc.ir import Component, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Conv(Component):
    """A convolution over time: weight [out, width, kernel] and bias [out].

    For each output position it is a matrix product with `kernel` neighbouring inputs of `width` channels (those of
    one group), so its weights count as multiplied; taps of depthwise convolutions do not.
    """

    width: int
    out: int
    kernel: int
    role: Role
    bias: bool = True

    def tensors(self) -> tuple[Tensor, ...]:
        weight = Tensor("weight", (self.out, self.width, self.kernel), self.role)
        return (weight, vector("bias", self.out, self.role)) if self.bias else (weight,)
