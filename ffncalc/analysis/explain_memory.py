"""How the bytes of a model come about."""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.derivation import Chapter, Step, step, summed
from ffncalc.analysis.explain import Explanation, explained
from ffncalc.analysis.flops import exact
from ffncalc.analysis.formats import BITS
from ffncalc.analysis.kv_cache import Kept
from ffncalc.analysis.memory import Memory, ReadPoint
from ffncalc.ir import CATEGORIES, Model

NAMES = {"ffn": "FFN", "kv_cache": "key–value cache"}


def explain_memory(model: Model, found: Memory) -> Explanation:
    """The derivation of the numbers of `found`."""
    chapters = [
        *(Chapter(title=f"Bytes: {NAMES.get(name, name)}", steps=tuple(_category(name, found))) for name in CATEGORIES),
        Chapter(
            title="Weights",
            steps=(summed("total", ((NAMES.get(name, name), n) for name, n in found.by_category.items())),),
        ),
        Chapter(title="Elements in the cache", steps=tuple(_cache(found))),
        *(
            Chapter(title=f"Cache at context {point.ctx:,}", steps=tuple(_cache_at(point.ctx, int(point.bytes), found)))
            for point in found.kv
            if found.cache.kept or found.cache.constant
        ),
        *(
            Chapter(title=f"Read by one step at context {point.ctx:,}", steps=(_read(point),))
            for point in found.read or ()
        ),
    ]
    numbers = [*found.by_category.values(), *(k.per_key for k in found.cache.kept), found.cache.constant]
    return explained(model, numbers, chapters)


def _category(name: str, found: Memory) -> Iterator[Step]:
    """Each tensor of a category in one layer, then all of them."""
    own = [w for w in found.weights if w.role.category == name and w.stored]
    for weight in own:
        count = "" if weight.layers == 1 else f", in each of {weight.layers} layers"
        form = f" ({weight.format.label})" if weight.format else ""
        yield step(f"{weight.name.replace('{layer}', '*').replace('{}', '*')}{form}{count}", weight.stored)
    if own:
        parts = [(w.layers, int(w.stored)) for w in own]
        text = " + ".join(f"{size:,}" if layers == 1 else f"{layers} × {size:,}" for layers, size in parts)
        result = int(found.by_category[name])
        yield Step(name=NAMES.get(name, name), symbols="", values=text if text != f"{result:,}" else "", result=result)


def _cache(found: Memory) -> Iterator[Step]:
    for kept in found.cache.kept:
        yield step(f"per {'source token' if kept.span.kind == 'source' else 'key'}, {kept.span}", kept.per_key)
    if found.cache.constant:
        yield step("states, whatever the context", found.cache.constant)


def _cache_at(ctx: int, result: int, found: Memory) -> Iterator[Step]:
    parts = [f"{int(kept.per_key):,} × {_keys(kept, ctx, found)}" for kept in found.cache.kept]
    constant = [f"{int(found.cache.constant):,}"] if found.cache.constant else []
    inside = " + ".join((*parts, *constant))
    batch = f"{found.batch:,} × " if found.batch > 1 else ""
    yield Step(name="needed", symbols="", values=f"{batch}({inside}) × {BITS[found.kv_dtype]} bits / 8", result=result)


def _keys(kept: Kept, ctx: int, found: Memory) -> str:
    number = kept.needed(ctx, found.encoder_ctx or ctx)
    return f"min({ctx:,}, {int(kept.span.size):,})" if kept.span.kind in ("sliding", "chunked") else f"{number:,}"


def _read(point: ReadPoint) -> Step:
    parts = {name: exact(n) for name, n in point.by_category.items() if n}
    return Step(
        name="total",
        symbols=" + ".join(NAMES.get(name, name) for name in parts),
        values=" + ".join(f"{n:,}" for n in parts.values()) if len(parts) > 1 else "",
        result=exact(point.total),
    )
