"""The attention of DeepSeek-V4: a window of plain keys, and compressed keys of everything before."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear, vector
from ffncalc.components.norm import norm
from ffncalc.ir import Cache, Component, Mixing, Role, Span, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Compressor(Component):
    """Pools every `rate` tokens into one key, which is the value too, weighted by learned gates.

    Weights: wkv and wgate [size, width], ape [rate, size] (a bias by position in the group), norm [head_dim]. `size` is
    head_dim; twice that with `overlap`, where a token contributes to the next group as well.
    """

    width: int
    head_dim: int
    rate: int
    overlap: bool = False
    role: Role = Role.ATTENTION

    @property
    def size(self) -> int:
        """Numbers that one token contributes."""
        return 2 * self.head_dim if self.overlap else self.head_dim

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            Tensor("ape", (self.rate, self.size), self.role, use=Use.ELEMENTWISE),
            *linear("wkv", self.width, self.size, self.role),
            *linear("wgate", self.width, self.size, self.role),
            *norm("norm", self.head_dim),
        )

    def cache(self) -> tuple[Cache, ...]:
        """One key per group, and contribution and gate of the tokens whose group is not complete, or still needed."""
        open_group = 2 * (self.rate - 1) * self.size
        overlap = 2 * self.rate * self.head_dim if self.overlap else 0
        return (Cache(per_token=self.head_dim, span=Span("full", stride=self.rate), constant=open_group + overlap),)


@record(frozen=True, kw_only=True)
class CompressedIndexer(Component):
    """Scores the compressed keys, so that the attention sees the best few.

    Weights: wq_b [heads·head_dim, q_rank], weights_proj [heads, width], and a compressor of its own. The weighted sum
    over heads is no matrix product in the published code: only q·k counts.
    """

    width: int
    heads: int
    head_dim: int
    q_rank: int
    rate: int

    @property
    def compressor(self) -> Compressor:
        """What makes the keys that are scored."""
        return Compressor(
            "compressor",
            width=self.width,
            head_dim=self.head_dim,
            rate=self.rate,
            overlap=True,
            role=Role.INDEXER,
        )

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *linear("wq_b", self.q_rank, self.heads * self.head_dim, Role.INDEXER),
            *linear("weights_proj", self.width, self.heads, Role.INDEXER),
            *(t.moved(self.compressor.name) for t in self.compressor.tensors()),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        per_key = 2 * self.heads * self.head_dim
        return (Mixing(per_key=per_key, span=Span("full", stride=self.rate), indexer=True),)

    def cache(self) -> tuple[Cache, ...]:
        return self.compressor.cache()


@record(frozen=True, kw_only=True)
class CompressedAttention(Component):
    """One key for all heads, which is the value too; low-rank queries; a grouped low-rank output projection.

    Weights: wq_a [q_rank, width], wq_b [heads·head_dim, q_rank], wkv [head_dim, width], wo_a
    [groups·out_rank, heads·head_dim / groups] (each group has rows of its own), wo_b [width, groups·out_rank], one sink
    per head. Besides the `window`, `compressed` says which compressed keys are attended (None: none).
    Source: DeepSeek-V4 technical report (2026), sections 2.1 and 2.3.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    q_rank: int
    groups: int
    out_rank: int
    window: Span
    compressed: Span | None = None

    def tensors(self) -> tuple[Tensor, ...]:
        inner, out = self.heads * self.head_dim, self.groups * self.out_rank
        return (
            vector("attn_sink", self.heads, Role.ATTENTION),
            *linear("wq_a", self.width, self.q_rank, Role.ATTENTION),
            *norm("q_norm", self.q_rank),
            *linear("wq_b", self.q_rank, inner, Role.ATTENTION),
            *linear("wkv", self.width, self.head_dim, Role.ATTENTION),
            *norm("kv_norm", self.head_dim),
            *linear("wo_a", inner // self.groups, out, Role.ATTENTION),
            *linear("wo_b", out, self.width, Role.ATTENTION),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        spans = (self.window,) if self.compressed is None else (self.window, self.compressed)
        return tuple(Mixing(per_key=core(self.heads, self.head_dim), span=span) for span in spans)

    def cache(self) -> tuple[Cache, ...]:
        """The keys of the window; the compressor keeps the compressed ones."""
        return (Cache(per_token=self.head_dim, span=self.window),)

    def describe(self) -> str:
        return f"{self.window} attention" if self.compressed is None else f"{self.window} + {self.compressed} attention"
