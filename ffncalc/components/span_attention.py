"""ConvBERT's attention: softmax attention on half of the width, a dynamic convolution on the other half."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear
from ffncalc.ir import Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class SpanAttention(Component):
    """Attention beside a convolution with a kernel per token and head (arXiv:2008.02496).

    Weights, inner being heads·head_dim: query, key, value and conv_out_layer [inner, width], a depthwise and a
    pointwise convolution for the keys of the kernel, conv_kernel_layer [heads·kernel, inner], output [width, 2·inner].
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    kernel: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner, role = self.heads * self.head_dim, Role.ATTENTION
        conv = "self.key_conv_attn_layer"
        return (
            *(
                t
                for name in ("query", "key", "value")
                for t in linear(f"self.{name}", self.width, inner, role, bias=True)
            ),
            Tensor(f"{conv}.depthwise.weight", (self.width, 1, self.kernel), role, use=Use.ELEMENTWISE),
            Tensor(f"{conv}.pointwise.weight", (inner, self.width, 1), role),
            Tensor(f"{conv}.bias", (inner, 1), role, use=Use.ELEMENTWISE),
            *linear("self.conv_kernel_layer", inner, self.heads * self.kernel, role, bias=True),
            *linear("self.conv_out_layer", self.width, inner, role, bias=True),
            *linear("output.dense", 2 * inner, self.width, role, bias=True),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        """Attention, and for each token a product of its kernel with as many neighbours."""
        inner = self.heads * self.head_dim
        window = Mixing(per_token=2 * inner * self.kernel, role=Role.ATTENTION, source="arXiv:2008.02496, section 3.2")
        return Mixing(per_key=core(self.heads, self.head_dim)), window

    def describe(self) -> str:
        return "attention + dynamic convolution"
