"""Attention with keys and values from one projection."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class PairedAttention(Component):
    """Grouped-query attention of TeleChat: query [heads·head_dim, width], key_value [2·kv_heads·head_dim, width].

    dense [width, heads·head_dim] has a bias, the others none.
    """

    slot = "mixer"

    width: int
    heads: int
    kv_heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner = self.heads * self.head_dim
        return (
            *linear("query", self.width, inner, Role.ATTENTION),
            *linear("key_value", self.width, 2 * self.kv_heads * self.head_dim, Role.ATTENTION),
            *linear("dense", inner, self.width, Role.ATTENTION, bias=True),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.head_dim)),)

    def cache(self) -> tuple[Cache, ...]:
        return (Cache(per_token=2 * self.kv_heads * self.head_dim),)

    def describe(self) -> str:
        return "full attention"
