"""How the adapters of a model look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ffncalc.analysis.derivation import Chapter, Step, step, summed
from ffncalc.analysis.explain import Explanation, explained
from ffncalc.analysis.lora import BYTES, Layers, Lora
from ffncalc.ir import Model
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.numbers import grouped, percent, runs, short
from ffncalc.report.parts import explanation
from ffncalc.report.titles import notes, subtitle, title


@dataclass(frozen=True, kw_only=True)
class Adapters:
    """The adapters of a model; `explain` asks for the derivations."""

    lora: Lora
    explain: bool = False


def payload(entry: Entry[Adapters]) -> dict[str, Any]:
    """The `lora` object of the JSON contract."""
    model, found = entry.ok()
    data: dict[str, Any] = {"lora": found.lora.to_dict()}
    if entry.base is not None:
        before = entry.base.lora
        changed = int(found.lora.trainable) - int(before.trainable)
        data |= {"base": {"lora": before.to_dict()}, "changes": {"set": list(entry.changes), "trainable": changed}}
    if found.explain:
        data["explain"] = derived(model, found.lora).to_dict()
    return data | {"notes": [*model.notes, *found.lora.notes]}


def rows(entry: Entry[Adapters]) -> list[dict[str, Any]]:
    """One row per matrix, with what all of them add to the model."""
    model, found = entry.ok()
    own = found.lora
    notes = "; ".join((*model.notes, *own.notes)) or None
    names = own.target_modules if isinstance(own.target_modules, str) else " ".join(own.target_modules)
    whole = flat_row(own.to_dict()) | {"targets": " ".join(own.targets), "target_modules": names}
    each = ({f"matrix_{name}": value for name, value in module.to_dict().items()} for module in own.modules)
    return [whole | matrix | {"notes": notes} for matrix in each] or [whole | {"notes": notes}]


def document(entries: Sequence[Entry[Adapters]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Adapters]) -> Iterator[Part]:
    model, found = entry.ok()
    own = found.lora
    if own.modules:
        yield _modules(own)
        yield _categories(own, entry.base.lora if entry.base else None)
    yield Facts(tuple(_facts(own)))
    yield from notes(entry)
    if found.explain:
        yield from explanation(derived(model, own))


COLUMNS = (
    Column("matrix"),
    Column("in", number=True),
    Column("out", number=True),
    Column("how many", number=True),
    Column("each", number=True),
    Column("trainable", number=True),
)


def _modules(own: Lora) -> Table:
    rows = (
        Row(
            (
                m.name.replace("{}", "{expert}"),
                grouped(m.width),
                grouped(m.out),
                grouped(m.count),
                grouped(m.each),
                grouped(m.params),
            )
        )
        for m in own.modules
    )
    return Table(COLUMNS, tuple(rows))


def _categories(own: Lora, base: Lora | None) -> Table:
    columns = (
        Column("category"),
        Column("trainable", number=True),
        Column("share", number=True),
        Column("unchanged", number=True),
    )
    before = base.by_category if base else {}
    kept = [name for name, number in own.by_category.items() if number or before.get(name)]
    rows = [
        Row(
            (
                "FFN" if name == "ffn" else name,
                grouped(own.by_category[name]),
                percent(own.by_category[name] / own.trainable),
                grouped(before[name]) if base else "",
            )
        )
        for name in sorted(kept, key=lambda name: -own.by_category[name])
    ]
    rows.append(Row(("all", grouped(own.trainable), "100 %", grouped(base.trainable) if base else ""), total=True))
    return Table(columns, tuple(rows))


def _facts(own: Lora) -> Iterator[tuple[str, str]]:
    yield "trainable", f"{grouped(own.trainable)} ({short(own.trainable)}) at rank {own.rank}"
    if own.modules:
        yield "of the model", f"{percent(own.share)} of {grouped(own.total)}"
        sizes = (f"{grouped(size * own.trainable)} in {name}" for name, size in BYTES.items())
        yield "bytes", ", ".join(sizes)
        for each in own.layers:
            yield _where(each, len({layer.stack for layer in own.layers}) > 1), f"{grouped(each.params)} per layer"
    if own.target_modules:
        names = own.target_modules
        yield "target_modules", f"r'{names}'" if isinstance(names, str) else ", ".join(names)
    if own.target_parameters:
        yield "target_parameters", ", ".join(own.target_parameters)
    if own.left_out:
        yield "left out", f"{grouped(own.left_out)} routed experts; --experts adapts them too"
    for note in own.notes:
        yield "note", note


def _where(each: Layers, stacks: bool) -> str:
    name = "layer" if len(each.indexes) == 1 else "layers"
    place = f" of {each.stack.partition('.{}')[0]}" if stacks else ""
    return f"{name} {runs(each.indexes)}{place}"


def derived(model: Model, own: Lora) -> Explanation:
    """The derivation of the adapters, and the keys that the sizes of the matrices rest on."""
    sizes = (size for m in own.modules for size in (m.width, m.out, m.count))
    return explained(model, sizes, (Chapter(title="Trainable parameters", steps=tuple(_steps(own))),))


def _steps(own: Lora) -> Iterator[Step]:
    """rank × (in + out) × how many, matrix by matrix, then their sum."""
    for module in own.modules:
        yield step(f"{module.name.replace('{}', '{expert}')}", module.params)
    yield summed("trainable", ((name, n) for name, n in own.by_category.items()))


REPORT: Report[Adapters] = Report(payload=payload, document=document, rows=rows)
