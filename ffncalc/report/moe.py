"""How the experts of a model look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ffncalc.analysis.moe import Experts, Moe
from ffncalc.analysis.names import ffn_kind
from ffncalc.ir import Model
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.numbers import grouped, percent, ratio, short
from ffncalc.report.titles import notes, subtitle, title

if TYPE_CHECKING:
    from ffncalc.analysis.explain import Explanation


@dataclass(frozen=True, kw_only=True)
class Card:
    """The experts of a model, None where it has none; `explain` asks for the derivations."""

    moe: Moe | None
    explain: bool = False


def payload(entry: Entry[Card]) -> dict[str, Any]:
    """The `moe` object of the JSON contract, or null."""
    model, card = entry.ok()
    data: dict[str, Any] = {"moe": card.moe.to_dict() if card.moe else None}
    if entry.base is not None:
        base = entry.base.moe.to_dict() if entry.base.moe else None
        data |= {"base": {"moe": base}, "changes": {"set": list(entry.changes)}}
    if card.explain:
        data["explain"] = derived(model, card).to_dict()
    return data | {"notes": list(model.notes)}


def rows(entry: Entry[Card]) -> list[dict[str, Any]]:
    """One row per model; a model without experts has layers 0."""
    _, card = entry.ok()
    return [flat_row(card.moe.to_dict()) if card.moe else {"layers": 0}]


def document(entries: Sequence[Entry[Card]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def kinds(card: Card | None) -> tuple[Experts, ...]:
    """The kinds of MoE layers, most frequent first."""
    return card.moe.kinds if card and card.moe else ()


def _parts(entry: Entry[Card]) -> Iterator[Part]:
    model, card = entry.ok()
    before = kinds(entry.base)
    for i, kind in enumerate(kinds(card)):
        yield _layer(kind, before[i] if i < len(before) else None)
    yield Facts(tuple(_facts(model, card.moe, entry.base.moe if entry.base else None)))
    yield from notes(entry)
    if card.explain:
        from ffncalc.report.parts import explanation

        yield from explanation(derived(model, card))


def derived(model: Model, card: Card) -> Explanation:
    """The derivation of the numbers of one MoE layer of each kind."""
    from ffncalc.analysis.derivation import Chapter, step
    from ffncalc.analysis.explain import explained

    found = [(kind.layers, [(name, number) for name, _, number in numbers(kind)]) for kind in kinds(card)]
    chapters = [
        Chapter(title=f"One of the {layers} MoE layers", steps=tuple(step(name, number) for name, number in each))
        for layers, each in found
    ]
    return explained(model, (number for _, each in found for _, number in each), chapters)


def numbers(kind: Experts) -> Iterator[tuple[str, int, int]]:
    """(what for, FFN width or 0, parameters) of one MoE layer."""
    yield "one expert", kind.expert_width, kind.params_per_expert
    yield f"all {kind.experts} routed experts", 0, kind.routed
    if kind.shared:
        yield "shared, used by every token", kind.shared_width, kind.shared
        yield "pool: routed and shared", 0, kind.pool
    used = f"used by one token: {kind.top_k} of {kind.experts}{' and shared' if kind.shared else ''}"
    yield used, kind.top_k * kind.expert_width + kind.shared_width, kind.active
    yield "router", 0, kind.router


COLUMNS = (Column("width", number=True), Column("parameters", number=True), Column("unchanged", number=True))


def _layer(kind: Experts, before: Experts | None) -> Table:
    old = [number for _, _, number in numbers(before)] if before else []
    new = list(numbers(kind))
    shown = map(grouped, old) if len(old) == len(new) else [""] * len(new)
    rows = (
        Row((name, grouped(width) if width else "", grouped(number), before_it))
        for (name, width, number), before_it in zip(new, shown, strict=True)
    )
    return Table((Column(f"one MoE layer of {kind.layers}"), *COLUMNS), tuple(rows))


def _facts(model: Model, found: Moe | None, base: Moe | None) -> Iterator[tuple[str, str]]:
    if found is None:
        yield "experts", "none: the model is no mixture of experts"
        return
    main = found.main
    dense = f", {found.dense_layers} with a dense FFN" if found.dense_layers else ""
    yield "MoE layers", f"{found.layers} of {model.layer_count}{dense}"
    yield "expert", f"{ffn_kind(main.activation, gated=main.gated)}, {_times(main.expert_width, model.width)}"
    if found.dense_params:
        yield "dense layer", f"{_times(found.dense_width, model.width)}, {grouped(found.dense_params)} parameters"
    reference = "a dense layer" if found.dense_params else "what one token uses"
    yield "pool ratio", f"{found.pool_ratio:.1f} × {reference}: all experts of a layer against it"
    yield "sparsity", f"{ratio(main.sparsity)} routed experts for each one chosen"
    yield "total", f"{grouped(found.total)} ({short(found.total)})"
    active = f"{grouped(found.active)} ({short(found.active)})"
    yield "active per token", f"{active}, {percent(found.active_share)} of all"
    if base is not None:
        yield "unchanged", f"{grouped(base.active)} of {grouped(base.total)} active per token"


def _times(hidden: int, width: int) -> str:
    return f"{grouped(hidden)} wide = {ratio(hidden / width)} × {grouped(width)}"


REPORT: Report[Card] = Report(payload=payload, document=document, rows=rows)
