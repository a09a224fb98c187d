"""Parts that only towers have: convolutions, and learned arrays that are modules themselves."""

from __future__ import annotations

from ffncalc.components.linear import vector
from ffncalc.ir import Component, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Convolution(Component):
    """A convolution: weight [out, channels, *kernel], and bias [out]. `channels` are those that one output reads."""

    channels: int
    out: int
    kernel: tuple[int, ...]
    bias: bool = False
    role: Role = Role.OTHER

    def tensors(self) -> tuple[Tensor, ...]:
        weight = Tensor("weight", (self.out, self.channels, *self.kernel), self.role)
        return (weight, vector("bias", self.out, self.role)) if self.bias else (weight,)


@record(frozen=True, kw_only=True)
class Array(Component):
    """A learned array of any shape that is the module itself: class token, position table, projection without a bias.

    `use` is what it does: looked up or added by default.
    """

    shape: tuple[int, ...]
    role: Role = Role.OTHER
    use: Use = Use.LOOKUP

    def tensors(self) -> tuple[Tensor, ...]:
        return (Tensor("", self.shape, self.role, use=self.use),)


@record(frozen=True, kw_only=True)
class Buffers(Component):
    """Learned vectors [width] that the checkpoint stores as buffers: limits, offsets, scales."""

    vectors: tuple[str, ...]
    width: int

    def tensors(self) -> tuple[Tensor, ...]:
        return ()

    def buffers(self) -> tuple[Tensor, ...]:
        return tuple(vector(name, self.width, Role.OTHER) for name in self.vectors)
