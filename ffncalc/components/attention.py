"""Softmax attention with grouped keys and values."""

from __future__ import annotations

from typing import Literal

from ffncalc.components.linear import linear, vector
from ffncalc.components.norm import norm
from ffncalc.ir import FULL, Cache, Component, Mixing, Role, Span, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Projections:
    """Module names of the projections; `fused` replaces q, k and v by one tensor."""

    q: str = "q_proj"
    k: str = "k_proj"
    v: str = "v_proj"
    o: str = "o_proj"
    fused: str = ""
    q_norm: str = "q_norm"
    k_norm: str = "k_norm"
    sinks: str = "sinks"


SEPARATE = Projections()


@record(frozen=True, kw_only=True)
class Attention(Component):
    """Grouped-query attention (arXiv:2305.13245); multi-head where kv_heads = heads, multi-query where it is 1.

    Weights: q [heads·head_dim, width], k [kv_heads·head_dim, width], v [kv_heads·value_dim, width],
    o [width, heads·value_dim]. `qk_norm`: "head" normalises each head [head_dim], "all" the whole projection.
    "each" gives every head weights of its own [heads, head_dim]. `key_is_value`: values come from k_proj.
    `gate`: q_proj is twice as wide and its second half gates the output. `sinks`: one learned logit per head.
    `out`: output width where it is not `width`. `shared_kv`: keys and values of an earlier layer are used.
    """

    slot = "mixer"

    width: int
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int | None = None
    out: int | None = None
    span: Span = FULL
    qkv_bias: bool = False
    k_bias: bool | None = None  # None: as qkv_bias (Whisper has none on k)
    out_bias: bool = False
    qk_norm: Literal["", "head", "all", "each"] = ""
    norm_bias: bool = False
    gate: bool = False
    sinks: bool = False
    shared_kv: bool = False
    key_is_value: bool = False
    transposed: bool = False
    names: Projections = SEPARATE

    def tensors(self) -> tuple[Tensor, ...]:
        value_dim = self.head_dim if self.value_dim is None else self.value_dim
        projected = self.width if self.out is None else self.out
        out = linear(
            self.names.o,
            self.heads * value_dim,
            projected,
            Role.ATTENTION,
            bias=self.out_bias,
            transposed=self.transposed,
        )
        sinks = (vector(self.names.sinks, self.heads, Role.ATTENTION),) if self.sinks else ()
        return (*self._inputs(value_dim), *out, *sinks, *self._norms())

    def _inputs(self, value_dim: int) -> tuple[Tensor, ...]:
        q = self.heads * self.head_dim * (2 if self.gate else 1)
        k, v = self.kv_heads * self.head_dim, self.kv_heads * value_dim
        names, bias = self.names, self.qkv_bias
        if names.fused:
            return linear(names.fused, self.width, q + k + v, Role.ATTENTION, bias=bias, transposed=self.transposed)
        query = linear(names.q, self.width, q, Role.ATTENTION, bias=bias)
        if self.shared_kv:
            return query
        k_bias = bias if self.k_bias is None else self.k_bias
        key = linear(names.k, self.width, k, Role.ATTENTION, bias=k_bias)
        value = () if self.key_is_value else linear(names.v, self.width, v, Role.ATTENTION, bias=bias)
        return (*query, *key, *value)

    def _norms(self) -> tuple[Tensor, ...]:
        if not self.qk_norm:
            return ()
        if self.qk_norm == "each":
            return self._norms_of_heads()
        all_heads = self.qk_norm == "all"
        q = self.heads * self.head_dim if all_heads else self.head_dim
        k = self.kv_heads * self.head_dim if all_heads else self.head_dim
        key = () if self.shared_kv else norm(self.names.k_norm, k, bias=self.norm_bias)
        return (*norm(self.names.q_norm, q, bias=self.norm_bias), *key)

    def _norms_of_heads(self) -> tuple[Tensor, ...]:
        pairs = ((self.names.q_norm, self.heads), (self.names.k_norm, self.kv_heads))
        leaves = ("weight", "bias") if self.norm_bias else ("weight",)
        return tuple(
            Tensor(f"{name}.{leaf}", (heads, self.head_dim), Role.NORM, use=Use.ELEMENTWISE)
            for name, heads in pairs
            for leaf in leaves
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.head_dim, self.value_dim), span=self.span),)

    def cache(self) -> tuple[Cache, ...]:
        value_dim = self.head_dim if self.value_dim is None else self.value_dim
        return () if self.shared_kv else (Cache(per_token=self.kv_heads * (self.head_dim + value_dim), span=self.span),)

    def describe(self) -> str:
        return f"{self.span} attention"


def core(heads: int, head_dim: int, value_dim: int | None = None) -> int:
    """FLOPs per attended key: q·k and scores·v, a multiply-add (2) per head and dimension each.

    Query heads count, whatever the number of key/value heads.
    """
    return 4 * heads * head_dim if value_dim is None else 2 * heads * (head_dim + value_dim)
