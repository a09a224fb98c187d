"""How FLOPs per token look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ffncalc.analysis.flops import Flops, Mla, Number, Point
from ffncalc.ir import Model
from ffncalc.report.crossover import facts as crossing
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table
from ffncalc.report.entry import Entry, Report, flat_row
from ffncalc.report.numbers import grouped, percent, short
from ffncalc.report.titles import notes, subtitle, title

CATEGORIES = {
    "ffn": "FFN",
    "attention_core": "attention core",
    "attention_projections": "projections",
    "mixer": "mixer",
    "router": "router",
    "head": "head",
    "other": "other",
}
NO_SOURCE = "the length of the source changes no number: no layer attends one"
RECURRENT = (
    "state updates of recurrent mixers count as their papers write the recurrence: a lower bound, since the chunked "
    "kernels that train and prefill do more work"
)


@dataclass(frozen=True, kw_only=True)
class Costed:
    """A cost; `explain` asks for its derivation."""

    flops: Flops
    explain: bool = False


def payload(entry: Entry[Costed]) -> dict[str, Any]:
    """The objects of the JSON contract beside `model`."""
    model, found = entry.ok()
    data: dict[str, Any] = objects(found.flops)
    if entry.base is not None:
        data |= {"base": objects(entry.base.flops), "changes": {"set": list(entry.changes)}}
    if found.explain:
        from ffncalc.analysis.explain_cost import explain_flops

        data["explain"] = explain_flops(model, found.flops).to_dict()
    caveats = [RECURRENT] if found.flops.recurrent else []
    return data | {"notes": [*model.notes, *caveats, *idle(found.flops)]}


def idle(found: Flops) -> Iterator[str]:
    """A note on each choice that changes no number of this model."""
    if found.mla is Mla.ABSORBED and not found.latent:
        yield "absorbed changes no number: no layer has latent attention"
    if found.encoder_ctx is not None and not found.attends_source:
        yield NO_SOURCE


def objects(found: Flops) -> dict[str, Any]:
    """The cost, and the crossover both inside it and beside it."""
    crossover = found.crossover.to_dict()
    return {"flops": found.to_dict() | {"crossover": crossover}, "crossover": crossover}


def rows(entry: Entry[Costed]) -> list[dict[str, Any]]:
    """One row per context and stream: a token of the decoder (or of the only stack), and one of the source."""
    model, found = entry.ok()
    data = found.flops.to_dict()
    convention = {"phase": found.flops.phase.value, "mla": found.flops.mla.value, "full": found.flops.full}
    crossover = {"crossover": found.flops.crossover.ctx}
    changed = {"set": " ".join(entry.changes)} if entry.changes else {}
    changed |= {"notes": "; ".join((*model.notes, *idle(found.flops)))}
    found_rows = []
    for stream, key in (("token", "points"), ("source", "encoder_points")):
        points = data[key]
        assert isinstance(points, list)
        found_rows += [convention | {"stream": stream} | flat_row(point) | crossover | changed for point in points]
    return found_rows


def document(entries: Sequence[Entry[Costed]]) -> list[Section]:
    """One section per model; what holds for all recurrent ones is said once."""
    first = next((e.ref for e in entries if e.ok()[1].flops.recurrent), None)
    return [
        Section(
            title(e), subtitle(e, f"FLOPs per token: {e.ok()[1].flops.convention}"), tuple(_parts(e, e.ref == first))
        )
        for e in entries
    ]


def _parts(entry: Entry[Costed], caveat: bool) -> Iterator[Part]:
    model, found = entry.ok()
    cost = found.flops
    yield points(cost, cost.points, "context", entry.base.flops.points if entry.base else None)
    if cost.source:
        yield points(cost, cost.source, "source, per source token")
    facts = [*_facts(model, cost, entry.base.flops if entry.base else None)]
    if caveat:
        facts.append(("caveat", RECURRENT))
    facts += [("note", note) for note in idle(cost)]
    yield Facts(tuple(facts))
    yield from notes(entry)
    if found.explain:
        from ffncalc.analysis.explain_cost import explain_flops
        from ffncalc.report.parts import explanation

        yield from explanation(explain_flops(model, cost))


def points(cost: Flops, found: Sequence[Point], label: str, base: Sequence[Point] | None = None) -> Table:
    """One row per context, categories in columns; with `base`, what --set changed."""
    columns = (
        Column(label, number=True),
        *(Column(name, number=True) for name in CATEGORIES.values()),
        Column("total", number=True),
        Column("FFN share", number=True),
        Column("unchanged", number=True),
        Column("change", number=True),
        Column("unchanged share", number=True),
        Column(""),
    )

    def row(point: Point, before: Point | None, number: Any) -> Row:
        change = Fraction(point.total) - Fraction(before.total) if before else None
        cells = (
            grouped(point.ctx),
            *(number(n) if (n := point.by_category[key]) else "" for key in CATEGORIES),
            number(point.total),
            percent(point.ffn_share),
            number(before.total) if before else "",
            "" if change is None else f"+{number(change)}" if change > 0 else number(change),
            percent(before.ffn_share) if before else "",
            f"beyond {grouped(cost.max_context or 0)}" if found is cost.points and cost.beyond(point.ctx) else "",
        )
        return Row(cells)

    before: Sequence[Point | None] = base or [None] * len(found)
    pairs = list(zip(found, before, strict=True))
    full, few = (tuple(row(p, b, number) for p, b in pairs) for number in (amount, shortened))
    return Table(columns, full, few)


def amount(number: Number) -> str:
    """All digits; of a mean that is no integer, one decimal."""
    if isinstance(number, Fraction) and number.denominator != 1:
        return f"{float(number):,.1f}"
    return grouped(int(number))


def shortened(number: Number) -> str:
    """Three digits and a unit."""
    return short(round(number)).replace(" B", " G")


def _facts(model: Model, cost: Flops, base: Flops | None) -> Iterator[tuple[str, str]]:
    yield from crossing(cost.crossover, base.crossover if base else None, of=cost.crossing)
    if any(cost.beyond(point.ctx) for point in cost.points):
        yield "beyond", f"longer than the {grouped(cost.max_context or 0)} tokens that the model is made for"


REPORT: Report[Costed] = Report(payload=payload, document=document, rows=rows)
