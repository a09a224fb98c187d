"""DeBERTa's attention: content and relative position in separate terms of the score."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ffncalc.components.attention import core
from ffncalc.components.linear import linear, vector
from ffncalc.ir import Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class DisentangledAttention(Component):
    """score = q·k, plus q·k(position) for `c2p`, plus k·q(position) for `p2c` (arXiv:2006.03654).

    Weights of v2: query, key and value [heads·head_dim, width] with biases; of v1 (`fused`): in_proj
    [3·heads·head_dim, width] and biases of query and value alone. `shared`: positions go through the projections of
    the content; else through two of their own, which multiply a table of `positions` rows, not the tokens.
    Each term is a product with all `positions` rows (0: no relative attention), whatever the context, of which the
    right one is picked for each key. `talking`: two maps [heads, heads] mix the heads.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    positions: int = 0
    terms: Collection[str] = ()
    shared: bool = False
    fused: bool = False
    talking: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        inner = self.heads * self.head_dim
        out = linear("output.dense", inner, self.width, Role.ATTENTION, bias=True)
        return (*self._content(inner), *self._positions(inner), *out)

    def _content(self, inner: int) -> tuple[Tensor, ...]:
        if not self.fused:
            names = ("query_proj", "key_proj", "value_proj")
            return tuple(
                t for name in names for t in linear(f"self.{name}", self.width, inner, Role.ATTENTION, bias=True)
            )
        mixed = ("head_logits_proj", "head_weights_proj") if self.talking else ()
        return (
            *linear("self.in_proj", self.width, 3 * inner, Role.ATTENTION),
            vector("self.q_bias", inner, Role.ATTENTION),
            vector("self.v_bias", inner, Role.ATTENTION),
            # one product per pair of tokens, so no cost of a token: it is counted in `mixing`
            *(
                replace(t, use=Use.ELEMENTWISE)
                for name in mixed
                for t in linear(f"self.{name}", self.heads, self.heads, Role.ATTENTION)
            ),
        )

    def _positions(self, inner: int) -> tuple[Tensor, ...]:
        if not self.positions or self.shared:
            return ()
        key, query = ("pos_proj", "pos_q_proj") if self.fused else ("pos_key_proj", "pos_query_proj")
        found: tuple[Tensor, ...] = ()
        if "c2p" in self.terms:
            found += linear(f"self.{key}", self.width, inner, Role.ATTENTION, bias=not self.fused)
        if "p2c" in self.terms:
            found += linear(f"self.{query}", self.width, inner, Role.ATTENTION, bias=True)
        return tuple(replace(t, use=Use.ELEMENTWISE) for t in found)

    def mixing(self) -> tuple[Mixing, ...]:
        heads = 4 * self.heads * self.heads if self.talking and self.fused else 0
        content = Mixing(per_key=core(self.heads, self.head_dim) + heads)
        terms = sum(term in self.terms for term in ("c2p", "p2c"))
        if not self.positions or not terms:
            return (content,)
        rows = 2 * terms * self.heads * self.head_dim * self.positions
        return content, Mixing(per_token=rows, role=Role.ATTENTION, source="arXiv:2006.03654, section 3.1")

    def describe(self) -> str:
        return "disentangled attention"
