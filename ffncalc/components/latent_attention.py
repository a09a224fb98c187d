"""Multi-head latent attention."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.components.norm import norm
from ffncalc.ir import FULL, Cache, Component, Mixing, Role, Span, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class LatentAttention(Component):
    """MLA (arXiv:2405.04434): keys and values are projected up from a latent of `kv_rank` per token.

    Weights: kv_a [kv_rank + rope_dim, width], kv_b [heads·(nope_dim + value_dim), kv_rank],
    o [width, heads·value_dim], and q_a [q_rank, width] with q_b [heads·(nope_dim + rope_dim), q_rank],
    or one q [heads·(nope_dim + rope_dim), width] where `q_rank` is None.
    """

    slot = "mixer"

    width: int
    heads: int
    q_rank: int | None
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int
    bias: bool = False  # on the projections down and out; those up have none
    span: Span = FULL

    def tensors(self) -> tuple[Tensor, ...]:
        up = self.heads * (self.nope_dim + self.value_dim)
        return (
            *self._query(),
            *linear("kv_a_proj_with_mqa", self.width, self.kv_rank + self.rope_dim, Role.ATTENTION, bias=self.bias),
            *norm("kv_a_layernorm", self.kv_rank),
            *linear("kv_b_proj", self.kv_rank, up, Role.ATTENTION),
            *linear("o_proj", self.heads * self.value_dim, self.width, Role.ATTENTION, bias=self.bias),
        )

    def _query(self) -> tuple[Tensor, ...]:
        out = self.heads * (self.nope_dim + self.rope_dim)
        if self.q_rank is None:
            return linear("q_proj", self.width, out, Role.ATTENTION)
        return (
            *linear("q_a_proj", self.width, self.q_rank, Role.ATTENTION, bias=self.bias),
            *norm("q_a_layernorm", self.q_rank),
            *linear("q_b_proj", self.q_rank, out, Role.ATTENTION),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        """Materialised: q·k over nope + rope, scores·v over value; absorbed: both over the latent."""
        return (
            Mixing(
                per_key=2 * self.heads * (self.nope_dim + self.rope_dim + self.value_dim),
                absorbed=2 * self.heads * (2 * self.kv_rank + self.rope_dim),
                span=self.span,
            ),
        )

    def cache(self) -> tuple[Cache, ...]:
        """The latent and the shared rotary key, once for all heads."""
        return (Cache(per_token=self.kv_rank + self.rope_dim, span=self.span),)

    def describe(self) -> str:
        return "latent attention" if self.span == FULL else f"latent attention, {self.span}"
