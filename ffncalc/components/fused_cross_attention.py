"""Cross attention of the GPT-2 kin."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear
from ffncalc.ir import Cache, Component, Mixing, Role, Span, Tensor
from ffncalc.record import record

SOURCE = Span("source")


@record(frozen=True, kw_only=True)
class FusedCrossAttention(Component):
    """Decoder tokens attend the source; keys and values of the source come from one projection.

    Weights: c_attn [2·heads·head_dim, width] for keys and values, q_attn [heads·head_dim, width],
    c_proj [width, heads·head_dim], each with a bias. `transposed`: stored as [in, out].
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    transposed: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        inner, flip = self.heads * self.head_dim, self.transposed
        role = Role.CROSS_ATTENTION
        return (
            *linear("c_attn", self.width, 2 * inner, role, bias=True, transposed=flip, source=True),
            *linear("q_attn", self.width, inner, role, bias=True, transposed=flip),
            *linear("c_proj", inner, self.width, role, bias=True, transposed=flip),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.head_dim), span=SOURCE),)

    def cache(self) -> tuple[Cache, ...]:
        return (Cache(per_token=2 * self.heads * self.head_dim, span=SOURCE),)

    def describe(self) -> str:
        return "cross attention"
