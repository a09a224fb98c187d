"""Global tokens made on the fly from blocks of the input."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import dotted
from ffncalc.components.norm import norm
from ffncalc.ir import Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class GlobalTokens(Component):
    """LongT5's transient global attention (arXiv:2112.07916), added to attention within a window.

    Every `block` tokens are summed up into one more key that all tokens attend: a token attends n / block of them.
    Their norm [width], and biases [buckets, heads] by distance where `buckets` is not 0. The projection of the extra
    keys, 1/block of that of the tokens, is not counted.
    """

    width: int
    heads: int
    head_dim: int
    block: int
    buckets: int = 0

    def tensors(self) -> tuple[Tensor, ...]:
        name = dotted("global_relative_attention_bias", "weight")
        biases = Tensor(name, (self.buckets, self.heads), Role.ATTENTION, use=Use.LOOKUP)
        return (*((biases,) if self.buckets else ()), *norm("global_input_layer_norm", self.width))

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.head_dim) // self.block),)
