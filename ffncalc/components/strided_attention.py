"""Block-sparse attention: a window, and one in so many of the blocks before it."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear
from ffncalc.ir import FULL, Cache, Component, Mixing, Role, Span, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class StridedAttention(Component):
    """Attention to the last `window` keys and to one in `stride` of those before (arXiv:1904.10509).

    Weights: query_key_value [(heads + 2·kv_heads)·head_dim, width] and dense [width, heads·head_dim], with biases.
    Of n keys, n / stride are attended for the stride, and of the window the others: (1 - 1/stride)·min(n, window).
    All keys are kept, as each head skips others.
    """

    slot = "mixer"

    width: int
    heads: int
    kv_heads: int
    head_dim: int
    window: int
    stride: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner = self.heads * self.head_dim
        return (
            *linear(
                "query_key_value",
                self.width,
                inner + 2 * self.kv_heads * self.head_dim,
                Role.ATTENTION,
                bias=True,
            ),
            *linear("dense", inner, self.width, Role.ATTENTION, bias=True),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        per_key = core(self.heads, self.head_dim)
        strided = per_key // self.stride
        return (
            Mixing(per_key=per_key - strided, span=Span("sliding", self.window)),
            Mixing(per_key=strided, span=FULL),
        )

    def cache(self) -> tuple[Cache, ...]:
        return (Cache(per_token=2 * self.kv_heads * self.head_dim),)

    def describe(self) -> str:
        return f"sliding {self.window:,} + 1/{self.stride} attention"
