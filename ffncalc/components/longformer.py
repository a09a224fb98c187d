"""Attention within a window, plus a few tokens that attend and are attended everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ffncalc.components.attention import core
from ffncalc.components.linear import linear
from ffncalc.ir import Component, Mixing, Role, Span, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class LongformerAttention(Component):
    """Attention to window / 2 tokens on each side, with projections of its own for global tokens (arXiv:2004.05150).

    Weights: query, key, value and their `…_global` twins [width, width], `out` [width, width], all with biases.
    Keys and values for the global tokens are computed of every token, their queries of the few alone: these cost
    nothing here, nor does the one key that each global token adds.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    window: int
    inner: str = "self"
    out: str = "output.dense"

    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(self._tensors())

    def _tensors(self) -> Iterator[Tensor]:
        for name in ("query", "key", "value", "query_global", "key_global", "value_global"):
            for tensor in linear(f"{self.inner}.{name}", self.width, self.width, Role.ATTENTION, bias=True):
                yield replace(tensor, use=Use.ELEMENTWISE) if name == "query_global" else tensor
        yield from linear(self.out, self.width, self.width, Role.ATTENTION, bias=True)

    def mixing(self) -> tuple[Mixing, ...]:
        span = Span("sliding", 2 * (self.window // 2) + 1)
        return (Mixing(per_key=core(self.heads, self.head_dim), span=span),)

    def describe(self) -> str:
        return "window and global attention"
