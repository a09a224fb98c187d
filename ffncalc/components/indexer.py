"""The indexer of DeepSeek sparse attention."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.components.norm import norm
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Indexer(Component):
    """A small attention that scores every earlier token, so that the real one sees the best few (DeepSeek-V3.2-Exp).

    Weights: wq_b [heads·head_dim, q_rank], on the latent query; wk [head_dim, width], one key for all heads, with a
    LayerNorm; weights_proj [heads, width], the weight of each head's score.
    """

    width: int
    heads: int
    head_dim: int
    q_rank: int

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *linear("wq_b", self.q_rank, self.heads * self.head_dim, Role.INDEXER),
            *linear("wk", self.width, self.head_dim, Role.INDEXER),
            *norm("k_norm", self.head_dim, bias=True),
            *linear("weights_proj", self.width, self.heads, Role.INDEXER),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        """Σ_h weight_h · relu(q_h · k) for every earlier token: q·k, then the weighted sum over heads."""
        return (
            Mixing(
                per_key=2 * self.heads * (self.head_dim + 1),
                indexer=True,
                source="https://github.com/deepseek-ai/DeepSeek-V3.2-Exp, equation 1 of the paper there",
            ),
        )

    def cache(self) -> tuple[Cache, ...]:
        """One key per token, besides the cache of the attention."""
        return (Cache(per_token=self.head_dim),)
