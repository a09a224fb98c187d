"""Attention of the decoded tokens on the source of an encoder–decoder."""

from __future__ import annotations

from ffncalc.components.attention import SEPARATE, Projections, core
from ffncalc.components.linear import linear
from ffncalc.components.norm import norm
from ffncalc.ir import Cache, Component, Mixing, Role, Span, Tensor
from ffncalc.record import record

SOURCE = Span("source")


@record(frozen=True, kw_only=True)
class CrossAttention(Component):
    """Queries from the decoder, keys and values from the encoder's output (arXiv:1706.03762).

    Weights: q [heads·head_dim, width], k and v [kv_heads·head_dim, source_width], o [width, heads·head_dim]. Keys
    and values are computed once per source token and kept for all decoded ones. `qk_norm` normalises each head
    [head_dim].
    """

    slot = "mixer"

    width: int
    source_width: int | None = None  # None: as width
    heads: int
    head_dim: int
    kv_heads: int | None = None  # None: as many as heads
    qk_norm: bool = False
    bias: bool = False
    k_bias: bool | None = None  # None: as bias (Whisper has none on k)
    out_bias: bool | None = None  # None: as bias
    names: Projections = SEPARATE

    @property
    def keys(self) -> int:
        """Width of the keys of all heads, and of the values."""
        return (self.heads if self.kv_heads is None else self.kv_heads) * self.head_dim

    def tensors(self) -> tuple[Tensor, ...]:
        inner, role, bias = self.heads * self.head_dim, Role.CROSS_ATTENTION, self.bias
        k_bias = bias if self.k_bias is None else self.k_bias
        read = self.width if self.source_width is None else self.source_width
        normed = (*norm(self.names.q_norm, self.head_dim), *norm(self.names.k_norm, self.head_dim))
        return (
            *linear(self.names.q, self.width, inner, role, bias=bias),
            *linear(self.names.k, read, self.keys, role, bias=k_bias, source=True),
            *linear(self.names.v, read, self.keys, role, bias=bias, source=True),
            *linear(self.names.o, inner, self.width, role, bias=bias if self.out_bias is None else self.out_bias),
            *(normed if self.qk_norm else ()),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.head_dim), span=SOURCE),)

    def cache(self) -> tuple[Cache, ...]:
        return (Cache(per_token=2 * self.keys, span=SOURCE),)

    def describe(self) -> str:
        return "cross attention"
