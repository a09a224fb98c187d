"""What one token costs, as a formula in the context: a constant per category and a slope per span.

Matrix products only, 2 FLOPs per multiply-add; the embedding lookup is 0; the head counts, tied or not; norms,
activations, softmax, rotary and bias additions are 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ffncalc.analysis.params import times
from ffncalc.formula import total
from ffncalc.ir import Block, Mixing, Model, Role, Span, Stream, Tensor, Use

CATEGORIES = ("ffn", "router", "attention_projections", "attention_core", "mixer", "head", "other")

ROLES = {
    Role.DENSE: "ffn",
    Role.ROUTED: "ffn",
    Role.SHARED: "ffn",
    Role.ROUTER: "router",
    Role.ATTENTION: "attention_projections",
    Role.CROSS_ATTENTION: "attention_projections",
    Role.INDEXER: "attention_projections",
    Role.MIXER: "mixer",
    Role.HEAD: "head",
}


Key = tuple[Span, bool, bool]  # span, causal, indexer


@dataclass(frozen=True, kw_only=True)
class Slope:
    """FLOPs per attended key of all layers that share a span; `indexer` scores keys to choose among them.

    `indexes` are their numbers, `layers` how often one of them runs for a token.
    """

    per_key: int
    span: Span
    causal: bool
    indexer: bool = False
    layers: int = 0
    indexes: tuple[int, ...] = ()

    def at(self, context: int) -> int:
        """FLOPs of the token at position `context`, itself included."""
        return self.per_key * self.span.keys(context)

    def mean(self, context: int) -> Fraction:
        """Mean FLOPs over the positions 1 … `context` of a prompt, windows applied position by position."""
        if self.span.kind == "source":
            return Fraction(self.at(context))
        return Fraction(int(self.per_key) * self.span.total(context, causal=self.causal), context)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """FLOPs of one token of one stream: `constant` by category, and what grows with the context.

    `slopes` are those asked for: `materialized`, or `absorbed` in the latent form of MLA; all the same without MLA.
    """

    constant: dict[str, int]
    slopes: tuple[Slope, ...]
    materialized: tuple[Slope, ...]
    absorbed: tuple[Slope, ...]

    @property
    def ffn(self) -> int:
        """FLOPs of all FFNs, routers out."""
        return self.constant["ffn"]

    @property
    def latent(self) -> bool:
        """Whether the form of latent attention makes a difference."""
        return self.absorbed != self.materialized


def cost(
    model: Model,
    *,
    absorbed: bool = False,
    full: bool = False,
    source: int | None = None,
    stream: Stream = Stream.TOKEN,
) -> Cost:
    """The cost of one token of `stream`: the decoded one, or a source token of an encoder–decoder.

    `absorbed` takes the latent form of MLA where a layer has one, `full` counts every key in every layer, and `source`
    is the length of the source (None: as long as the context). Keys and values of cross attention are computed once
    per source token, so they belong to the source's cost.
    """
    parts: dict[str, list[int]] = {name: [] for name in CATEGORIES}
    slopes: dict[Key, list[int]] = defaultdict(list)
    latent: dict[Key, list[int]] = defaultdict(list)
    layers: dict[Key, list[Block]] = defaultdict(list)
    for block in model.blocks:
        if block.stream is Stream.MEDIA:
            continue
        runs = block.count * block.calls
        sizes: dict[str, list[int]] = defaultdict(list)
        for tensor in _multiplied(block, stream):
            sizes[ROLES.get(tensor.role, "other")].append(tensor.met)
        for name, numbers in sizes.items():
            parts[name].append(times(2 * runs, total(numbers)))
        if block.stream is stream:
            for mixing in _mixings(block):
                if mixing.per_token:
                    parts[ROLES.get(mixing.role, "other")].append(times(runs, mixing.per_token))
                if mixing.per_key:
                    key = (_counted(mixing.span, full, source), block.causal, mixing.indexer)
                    slopes[key].append(per_key := times(runs, mixing.per_key))
                    latent[key].append(per_key if mixing.absorbed is None else times(runs, mixing.absorbed))
                    if not layers[key] or layers[key][-1] is not block:  # a layer may attend twice
                        layers[key].append(block)
    plain = _slopes(slopes, layers)
    other = plain if latent == slopes else _slopes(latent, layers)
    return Cost(
        constant={name: total(numbers) for name, numbers in parts.items()},
        slopes=other if absorbed else plain,
        materialized=plain,
        absorbed=other,
    )


def _counted(span: Span, full: bool, source: int | None) -> Span:
    """The span whose keys are counted in place of those attended."""
    if span.kind == "source":
        return replace(span, size=source or 0)
    return replace(span, kind="full", size=0) if full else span


def _slopes(found: Mapping[Key, list[int]], layers: Mapping[Key, list[Block]]) -> tuple[Slope, ...]:
    return tuple(
        Slope(
            per_key=total(numbers),
            span=key[0],
            causal=key[1],
            indexer=key[2],
            layers=sum(block.count * block.calls for block in layers[key]),
            indexes=tuple(sorted({i for block in layers[key] for i in block.indexes})),
        )
        for key, numbers in found.items()
    )


def _multiplied(block: Block, stream: Stream) -> Iterator[Tensor]:
    """The weights of a block that multiply a token of `stream`."""
    for part in block.parts:
        for tensor in part.weights:
            own = Stream.SOURCE if tensor.source else block.stream
            if tensor.use is Use.MATMUL and own is stream:
                yield tensor


def _mixings(block: Block) -> Iterable[Mixing]:
    return (mixing for part in block.parts for mixing in part.mixings)
