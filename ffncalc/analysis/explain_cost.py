"""How the FLOPs of a token and the crossover come about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from ffncalc.analysis.cost import CATEGORIES, Cost, Slope, cost
from ffncalc.analysis.crossover import Crossover, of_cost
from ffncalc.analysis.derivation import Chapter, Step, step, summed
from ffncalc.analysis.explain import Explanation, explained
from ffncalc.analysis.flops import Flops, Mla, Phase, Point
from ffncalc.formula import Num, symbols, values
from ffncalc.ir import Block, Model, Stream

Counting = Callable[[Model], Cost]  # `cost` of one stream, under the options given

NAMES = {
    "ffn": "FFN",
    "attention_projections": "attention projections",
    "attention_core": "attention core",
}


def explain_flops(model: Model, found: Flops) -> Explanation:
    """The derivation of the numbers of `found`."""
    under = partial(cost, absorbed=found.mla is Mla.ABSORBED, full=found.full)
    tokens, sources = partial(under, source=found.encoder_ctx), partial(under, stream=Stream.SOURCE)
    own = tokens(model)
    chapters = [
        *_layers(model, tokens),
        Chapter(title="Whatever the context", steps=tuple(_constants(model, own, tokens))),
        *(_at(point, own, found, "context") for point in found.points),
    ]
    if found.source:
        encoder = sources(model)
        chapters += [
            *_layers(model, sources),
            Chapter(title="Per source token", steps=tuple(_constants(model, encoder, sources))),
            *(_at(point, encoder, found, "source") for point in found.source),
        ]
    title = f"Crossover {found.crossing}".rstrip()
    chapters.append(Chapter(title=title, steps=tuple(_crossing(found.crossover, own))))
    return _explanation(model, own, chapters)


def explain_crossover(model: Model) -> Explanation:
    """The derivation of the crossover of `model`."""
    own = cost(model)
    chapters = [
        *_layers(model, cost),
        Chapter(title="Crossover", steps=tuple(_crossing(of_cost(own, model), own))),
    ]
    return _explanation(model, own, chapters)


def _explanation(model: Model, own: Cost, chapters: Sequence[Chapter]) -> Explanation:
    numbers = [*own.constant.values(), *(s.per_key for s in own.slopes), *(s.span.size for s in own.slopes)]
    return explained(model, numbers, chapters)


def _layers(model: Model, counting: Counting) -> Iterator[Chapter]:
    """What one token costs in one layer of each kind, and outside the layers."""
    outside = [block for block in model.blocks if not block.indexes]
    for block in (*(b for b in model.blocks if b.indexes), *outside):
        one = _one(model, block, counting)
        steps = tuple(_block_steps(one, per=" per layer" if block.indexes else ""))
        kinds = ", ".join(filter(None, (block.kind("mixer"), block.kind("ffn"))))
        title = kinds if block.indexes else block.prefix or "Outside the layers"
        yield Chapter(title=title, steps=steps, indexes=block.indexes, stack=block.prefix, calls=block.calls)


def _one(model: Model, block: Block, counting: Counting) -> Cost:
    """The cost of one layer of this block, run once."""
    return counting(replace(model, blocks=(replace(block, indexes=block.indexes[:1], calls=1),)))


def _block_steps(one: Cost, per: str) -> Iterator[Step]:
    for name in CATEGORIES:
        if one.constant[name]:
            yield step(NAMES.get(name, name) + per, one.constant[name])
    for slope in one.slopes:
        yield step(f"{_core_name(slope)}, per key{per}", slope.per_key)


def _core_name(slope: Slope) -> str:
    return f"{slope.span} {'indexer' if slope.indexer else 'attention core'}"


def _constants(model: Model, own: Cost, counting: Counting) -> Iterator[Step]:
    """Each category from its share of every kind of layer."""
    each = [
        (block.count * block.calls, _one(model, block, counting))
        for block in model.blocks
        if block.stream is not Stream.MEDIA
    ]
    for name in CATEGORIES:
        parts = [(count, int(one.constant[name])) for count, one in each if one.constant[name]]
        if parts:
            text = " + ".join(f"{number:,}" if count == 1 else f"{count} × {number:,}" for count, number in parts)
            whole = int(own.constant[name])
            yield Step(
                name=NAMES.get(name, name), symbols="", values=text if text != f"{whole:,}" else "", result=whole
            )


def _at(point: Point, own: Cost, found: Flops, length: str) -> Chapter:
    """The sum at one context, or for one token of a source that long."""
    steps = [_core_step(slope, point.ctx, found, length) for slope in own.slopes]
    factor = 3 if found.phase is Phase.TRAIN else 1
    parts = {name: _shown(Fraction(n) / factor) for name, n in point.by_category.items() if n}
    total = _shown(Fraction(point.total) / factor)
    text = " + ".join(f"{n:,}" for n in parts.values())
    names = " + ".join(NAMES.get(name, name) for name in parts)
    steps.append(Step(name="total", symbols=names, values=text if len(parts) > 1 else "", result=total))
    if factor == 3:
        steps.append(Step(name="training", symbols="", values=f"3 × {total:,}", result=_shown(Fraction(point.total))))
    share = f"{NAMES['ffn']} / total"
    steps.append(Step(name="FFN share", symbols=share, values="", result=point.ffn_share))
    return Chapter(title=f"{'source of' if length == 'source' else length} {point.ctx:,}", steps=tuple(steps))


def _core_step(slope: Slope, ctx: int, found: Flops, length: str) -> Step:
    """FLOPs of the core in all layers of one span."""
    source = slope.span.kind == "source"
    name = f"{_core_name(slope)} in {slope.layers} layers"
    if found.full or found.phase is Phase.DECODE or source:
        keys_ = Num(slope.span.keys(ctx), "source") if source else slope.span.keys(Num(ctx, length))
        number = int(slope.per_key) * int(keys_)
        texts = [f"{int(slope.per_key):,} × {_text(keys_, named)}" for named in (True, False)]
        return Step(name=name, symbols=texts[0] if texts[0] != texts[1] else "", values=texts[1], result=number)
    pairs = slope.span.total(ctx, causal=slope.causal)
    mean = Fraction(int(slope.per_key) * pairs, ctx)
    return Step(
        name=name,
        symbols=f"FLOPs per key × keys attended by all {ctx:,} positions / {ctx:,}",
        values=f"{int(slope.per_key):,} × {pairs:,} / {ctx:,}",
        result=_shown(mean),
    )


def _text(keys_: int, named: bool) -> str:
    return symbols(keys_) if named else values(keys_)


def _crossing(found: Crossover, own: Cost) -> Iterator[Step]:
    """Both sides at the crossover, and one token before it."""
    yield Step(name="FFN", symbols="", values="", result=int(found.ffn))
    rest = [(NAMES.get(name, name), n) for name, n in own.constant.items()]
    for label, ctx in (("", found.ctx), (" against everything else", found.core_vs_rest)):
        for n in (ctx - 1, ctx) if ctx else ():
            if n:
                parts = [(slope, int(slope.span.keys(n))) for slope in found.slopes]
                text = " + ".join(f"{int(slope.per_key):,} × {keys_:,}" for slope, keys_ in parts)
                number = sum(int(slope.per_key) * keys_ for slope, keys_ in parts)
                yield Step(name=f"attention core{label} at {n:,}", symbols="", values=text, result=number)
        if label:
            yield summed("everything else", rest)
    if found.ctx is None and found.saturates is not None:
        text = " + ".join(f"{int(s.per_key):,} × {int(s.span.size):,}" for s in found.slopes)
        yield Step(name="attention core at most", symbols="", values=text, result=found.saturates)


def _shown(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
