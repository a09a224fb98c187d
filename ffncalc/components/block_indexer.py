"""The indexer of MiniMax-M3: scores every earlier key, so that the attention sees the best blocks."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.components.norm import norm
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class BlockIndexer(Component):
    """q·k of a few heads on one key per token; a block counts as much as its best key.

    Weights: index_q_proj [heads·head_dim, width], index_k_proj [head_dim, width], and a norm on each [head_dim].
    """

    width: int
    heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *linear("index_q_proj", self.width, self.heads * self.head_dim, Role.INDEXER),
            *linear("index_k_proj", self.width, self.head_dim, Role.INDEXER),
            *norm("index_q_norm", self.head_dim),
            *norm("index_k_norm", self.head_dim),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (
            Mixing(
                per_key=2 * self.heads * self.head_dim,
                indexer=True,
                source="transformers models/minimax_m3_vl, MiniMaxM3VLIndexer",
            ),
        )

    def cache(self) -> tuple[Cache, ...]:
        """One key per token, besides the cache of the attention."""
        return (Cache(per_token=self.head_dim),)
