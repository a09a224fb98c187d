"""How the bytes of a model look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ffncalc.analysis.flops import Number
from ffncalc.analysis.memory import Memory
from ffncalc.ir import Model
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.flops import NO_SOURCE
from ffncalc.report.numbers import grouped, percent
from ffncalc.report.titles import notes, subtitle, title

UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
NAMES = {"ffn": "FFN", "kv_cache": "key–value cache"}


@dataclass(frozen=True, kw_only=True)
class Sized:
    """The bytes of a model; `explain` asks for their derivation."""

    memory: Memory
    explain: bool = False


def payload(entry: Entry[Sized]) -> dict[str, Any]:
    """The `memory` object beside `model`."""
    model, found = entry.ok()
    data: dict[str, Any] = {"memory": found.memory.to_dict()}
    if entry.base is not None:
        data |= {"base": {"memory": entry.base.memory.to_dict()}, "changes": {"set": list(entry.changes)}}
    if found.explain:
        from ffncalc.analysis.explain_memory import explain_memory

        data["explain"] = explain_memory(model, found.memory).to_dict()
    return data | {"notes": [*model.notes, *said(found.memory)]}


def said(memory: Memory) -> Iterator[str]:
    """What is odd about the quantisation, and a choice that changes no number of this model."""
    yield from memory.notes
    if memory.encoder_ctx is not None and not any(kept.span.kind == "source" for kept in memory.cache.kept):
        yield NO_SOURCE


def rows(entry: Entry[Sized]) -> list[dict[str, Any]]:
    """One row per context."""
    model, found = entry.ok()
    data = found.memory.to_dict()
    fixed = flat_row({k: v for k, v in data.items() if k not in ("decode_read_bytes", "quantization")})
    fixed["quantization"] = found.memory.scheme.method if found.memory.scheme else None
    changed = {"set": " ".join(entry.changes)} if entry.changes else {}
    changed |= {"notes": "; ".join((*model.notes, *said(found.memory)))}
    read = found.memory.read or [None] * len(found.memory.kv)
    return [
        {
            "ctx": kept.ctx,
            "kv_bytes": int(kept.bytes),
            "kv_full_length_bytes": int(kept.full_length),
            "beyond_max": model.max_context is not None and kept.ctx > model.max_context,
            **(flat_row(point.to_dict(), "decode_read_") if point else {}),
            **fixed,
            **changed,
        }
        for kept, point in zip(found.memory.kv, read, strict=True)
    ]


def document(entries: Sequence[Entry[Sized]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Sized]) -> Iterator[Part]:
    model, found = entry.ok()
    memory, base = found.memory, entry.base.memory if entry.base else None
    yield weights(memory, base)
    yield Facts(tuple(facts(memory)))
    if memory.cache.kept or memory.cache.constant:
        yield cache(model, memory, base)
    if memory.read is not None:
        yield reads(memory)
        yield Facts(tuple(_shared(memory)))
    yield from notes(entry)
    if found.explain:
        from ffncalc.analysis.explain_memory import explain_memory
        from ffncalc.report.parts import explanation

        yield from explanation(explain_memory(model, memory))


def weights(memory: Memory, base: Memory | None) -> Table:
    """Weight bytes by category, largest first; with `base`, what --set changed."""
    columns = (
        Column("weights"),
        Column("bytes", number=True),
        Column("", number=True),
        Column("share", number=True),
        Column("unchanged", number=True),
        Column("change", number=True),
    )
    before = dict(base.by_category) if base else {}
    found = [*sorted(memory.by_category.items(), key=lambda pair: -int(pair[1])), ("total", memory.total)]

    def row(name: str, size: int) -> Row:
        old = int(base.total if name == "total" else before[name]) if base else 0
        share = percent(size / memory.total) if memory.total else ""
        change = ("0" if size == old else grouped(size - old, sign=True)) if base else ""
        cells = (NAMES.get(name, name), grouped(size), scaled(size), share, grouped(old) if base else "", change)
        return Row(cells, total=name == "total")

    return Table(columns, tuple(row(name, int(n)) for name, n in found if n or before.get(name)))


def facts(memory: Memory) -> Iterator[tuple[str, str]]:
    """How the weights are stored."""
    origin = {
        "given": "as --dtype says, whatever the config does",
        "assumed": "assumed: the config names none",
    }.get(memory.dtype_from, f"from {memory.dtype_from}")
    yield "dtype", f"{memory.dtype}, {origin}"
    if memory.scheme:
        labels = dict.fromkeys(w.format.label for w in memory.weights if w.format)
        packed = sum(w.layers * w.stored for w in memory.weights if w.format)
        share = percent(packed / memory.total) if memory.total else "0 %"
        yield "quantised", f"{memory.scheme.method}: {'; '.join(labels) or 'no weight'}, {share} of the bytes"
    for label, size in (("buffers", memory.buffers), ("multi-token prediction", memory.mtp)):
        if size:
            yield "stored besides", f"{grouped(size)} ({scaled(size)}) in {label}"
    for note in said(memory):
        yield "note", note


def cache(model: Model, memory: Memory, base: Memory | None) -> Table:
    """The cache at each context."""
    name = "cache" if memory.batch == 1 else f"cache of {grouped(memory.batch)} sequences"
    columns = (
        Column(f"{name}, context", number=True),
        Column("bytes needed", number=True),
        Column("", number=True),
        Column("full length in all layers", number=True),
        Column(" ", number=True),
        Column("unchanged", number=True),
        Column("  "),
    )
    found = []
    for i, point in enumerate(memory.kv):
        beyond = model.max_context is not None and point.ctx > model.max_context
        cells = (
            grouped(point.ctx),
            grouped(point.bytes),
            scaled(point.bytes),
            grouped(point.full_length) if point.full_length != point.bytes else "the same",
            scaled(point.full_length) if point.full_length != point.bytes else "",
            grouped(base.kv[i].bytes) if base and i < len(base.kv) else "",
            f"beyond {grouped(model.max_context or 0)}" if beyond else "",
        )
        found.append(Row(cells))
    return Table(columns, tuple(found))


def reads(memory: Memory) -> Table:
    """What one decoded step reads at each context: categories in rows."""
    assert memory.read is not None
    points = memory.read
    first = "one step reads" if memory.batch == 1 else f"one step of {grouped(memory.batch)} sequences reads"
    columns = (Column(first), *(Column(f"at {grouped(p.ctx)}", number=True) for p in points))
    names = [name for name in points[-1].by_category if any(p.by_category[name] for p in points)]
    found = [Row((NAMES.get(name, name), *(scaled(p.by_category[name]) for p in points))) for name in names]
    found.append(Row(("total", *(scaled(p.total) for p in points)), total=True))
    return Table(columns, tuple(found))


def _shared(memory: Memory) -> Iterator[tuple[str, str]]:
    """What the cache costs per token, and what the batch shares."""
    per_token, last = (memory.kv_bytes(n) for n in (memory.cache.per_token, memory.cache.per_token_at_last))
    more = f", {amount(last)} once every window is full" if last != per_token else ""
    yield "cache per token", f"{amount(per_token)} bytes of {memory.kv_dtype}{more}"
    if memory.cache.constant:
        state = memory.kv_bytes(int(memory.cache.constant))
        yield "recurrent states", f"{amount(state)} bytes for each sequence, whatever the context"
    who = "the one sequence" if memory.batch == 1 else f"all {grouped(memory.batch)} sequences"
    yield "shared", f"weights are read once for {who}, the cache of each sequence by itself"
    if memory.experts_read is not None:
        number = f"{float(memory.experts_read):.4g}"
        how = "those of the one token" if memory.batch == 1 else "expected if all are equally likely for each token"
        yield "experts", f"{number} of them per MoE layer, {how}"


def amount(number: int | float) -> str:
    """Bytes in full; a mean of compressed keys with its fraction."""
    return grouped(number) if isinstance(number, int) else f"{number:,.1f}"


def scaled(number: Number) -> str:
    """Four digits and a decimal unit: `16.06 GB`; below a kilobyte the number itself.

    >>> scaled(16_060_522_496), scaled(131_072), scaled(512)
    ('16.06 GB', '131.1 kB', '512 B')
    """
    value = float(number)
    for unit, name in UNITS:
        if value >= unit:
            return (
                f"{value / unit:.4g} {name}"
                if value / unit >= 1000
                else f"{value / unit:.{_digits(value / unit)}f} {name}"
            )
    return f"{value:.4g} B" if value != int(value) else f"{int(value)} B"


def _digits(value: float) -> int:
    return 2 if value < 99.995 else 1


REPORT: Report[Sized] = Report(payload=payload, document=document, rows=rows)
