"""What generation keeps: keys and values per token, within the spans that are still needed, and recurrent states."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from ffncalc.analysis.params import times
from ffncalc.formula import total
from ffncalc.ir import Model, Span, Stream


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Elements per key of all layers that share a span."""

    span: Span
    per_key: int

    def needed(self, context: int, source: int) -> int:
        """Keys that a later token may still attend: a window's own, all of them where the best few are chosen."""
        if self.span.kind == "source":
            return source
        if self.span.kind in ("sliding", "chunked"):
            return min(context, int(self.span.size))
        return self.span.dense(context)

    def allocated(self, context: int, source: int) -> int:
        """Keys in an engine that gives every layer room for the whole context."""
        return source if self.span.kind == "source" else self.span.dense(context)

    def read(self, context: int, source: int) -> int:
        """Keys that one decoded token reads."""
        return source if self.span.kind == "source" else int(self.span.keys(context))


@dataclass(frozen=True, kw_only=True)
class KvCache:
    """Elements of one sequence: `kept` by span, `constant` whatever the context."""

    kept: tuple[Kept, ...]
    constant: int

    def needed(self, context: int, source: int) -> int:
        """Elements that the model needs after `context` tokens; chunks and windows are counted when full."""
        return total((*(times(k.needed(context, source), k.per_key) for k in self.kept), self.constant))

    def allocated(self, context: int, source: int) -> int:
        """Elements where every layer keeps the whole context."""
        return total((*(times(k.allocated(context, source), k.per_key) for k in self.kept), self.constant))

    def read(self, context: int, source: int) -> int:
        """Elements that one decoded token reads, recurrent states included."""
        return total((*(times(k.read(context, source), k.per_key) for k in self.kept), self.constant))

    @property
    def per_token(self) -> Fraction:
        """Elements that a token adds while no window is full."""
        return sum((Fraction(int(k.per_key), int(k.span.stride)) for k in self._growing), Fraction(0))

    @property
    def per_token_at_last(self) -> Fraction:
        """Elements that a token adds once every window is full."""
        lasting = (k for k in self._growing if k.span.kind not in ("sliding", "chunked"))
        return sum((Fraction(int(k.per_key), int(k.span.stride)) for k in lasting), Fraction(0))

    @property
    def _growing(self) -> tuple[Kept, ...]:
        return tuple(k for k in self.kept if k.span.kind != "source")


def kv_cache(model: Model) -> KvCache:
    """The cache of a model, layers that run several times counted each time; encoders and towers keep nothing."""
    found: dict[Span, list[int]] = defaultdict(list)
    constants = []
    for block in model.blocks:
        if block.stream is not Stream.TOKEN or not block.causal:
            continue
        runs = block.count * block.calls
        for part in block.parts:
            for cache in part.cache():
                if cache.per_token:
                    found[cache.span].append(times(runs, cache.per_token))
                if cache.constant:
                    constants.append(times(runs, cache.constant))
    kept = tuple(Kept(span=span, per_key=total(numbers)) for span, numbers in found.items())
    return KvCache(kept=kept, constant=total(constants))
