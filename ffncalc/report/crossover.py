"""How the crossover of a model looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ffncalc.analysis.cost import Slope
from ffncalc.analysis.crossover import Crossover
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.numbers import grouped, runs
from ffncalc.report.titles import notes, subtitle, title

CONVENTION = "attention core against the FFN, for one decoded token; routers are in neither"

FORMS = {
    "materialized": "with the keys and values of latent attention projected up",
    "absorbed": "with latent attention as inference engines run it",
}


@dataclass(frozen=True, kw_only=True)
class Crossed:
    """A crossover; `explain` asks for its derivation."""

    crossover: Crossover
    explain: bool = False


def payload(entry: Entry[Crossed]) -> dict[str, Any]:
    """The `crossover` object beside `model`."""
    model, found = entry.ok()
    data: dict[str, Any] = {"crossover": found.crossover.to_dict()}
    if entry.base is not None:
        data |= {
            "base": {"crossover": entry.base.crossover.to_dict()},
            "changes": {"set": list(entry.changes)},
        }
    if found.explain:
        from ffncalc.analysis.explain_cost import explain_crossover

        data["explain"] = explain_crossover(model).to_dict()
    return data | {"notes": list(model.notes)}


def rows(entry: Entry[Crossed]) -> list[dict[str, Any]]:
    """One row per model."""
    changed = {"set": " ".join(entry.changes)} if entry.changes else {}
    return [flat_row(entry.ok()[1].crossover.to_dict()) | changed]


def document(entries: Sequence[Entry[Crossed]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e, CONVENTION), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Crossed]) -> Iterator[Part]:
    model, found = entry.ok()
    yield Facts(tuple(facts(found.crossover, entry.base.crossover if entry.base else None, full=True)))
    if found.crossover.slopes:
        yield spans(found.crossover.slopes)
    yield from notes(entry)
    if found.explain:
        from ffncalc.analysis.explain_cost import explain_crossover
        from ffncalc.report.parts import explanation

        yield from explanation(explain_crossover(model))


def spans(slopes: Sequence[Slope]) -> Table:
    """One row per span: how many layers have it, and what a key costs them together."""
    columns = (
        Column("span"),
        Column("layers"),
        Column("count", number=True),
        Column("FLOPs per key", number=True),
        Column("at most", number=True),
    )

    def most(slope: Slope) -> str:
        return grouped(int(slope.per_key) * int(slope.span.size)) if slope.span.size else "no bound"

    found = (
        Row(
            (
                f"{s.span}{' indexer' if s.indexer else ''}",
                runs(s.indexes) or "–",
                str(s.layers),
                grouped(s.per_key),
                most(s),
            )
        )
        for s in slopes
    )
    return Table(columns, tuple(found))


def facts(
    found: Crossover, base: Crossover | None = None, *, of: str = "", full: bool = False
) -> Iterator[tuple[str, str]]:
    """What is known, in words; `of` says which token it is about, where the page is about another."""
    before = f"; unchanged: {_at(base.ctx)}" if base else ""
    yield "crossover", f"{_at(found.ctx)}{f' {of}' if of else ''}{within(found)}{before}"
    yield "because", found.reason
    for name, ctx in (("materialized", found.materialized), ("absorbed", found.absorbed)):
        if ctx is not None and ctx != found.ctx:
            yield name, f"{_at(ctx)}, {FORMS[name]}"
    if full or found.core_vs_rest is not None:
        yield "against the rest", f"{_at(found.core_vs_rest)}, where the core costs as much as everything else"


def _at(ctx: int | None) -> str:
    return "never" if ctx is None else f"context {grouped(ctx)}"


def within(found: Crossover) -> str:
    """Whether the model is made for it."""
    if found.within_max is None or found.max_position_embeddings is None:
        return ""
    most = grouped(found.max_position_embeddings)
    return f", within the {most} it is made for" if found.within_max else f", beyond the {most} it is made for"


REPORT: Report[Crossed] = Report(payload=payload, document=document, rows=rows)
