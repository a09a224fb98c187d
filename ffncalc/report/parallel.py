"""How the splits of a model look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ffncalc.analysis.parallel import Parallel, Split
from ffncalc.report.document import Column, Facts, Part, Row, Section, Table, without_empty
from ffncalc.report.entry import Entry, Report
from ffncalc.report.numbers import grouped
from ffncalc.report.titles import notes, subtitle, title

COLUMNS = (
    Column("tp", number=True),
    Column("heads", number=True),
    Column("kv heads", number=True),
    Column("FFN width", number=True),
    Column("expert width", number=True),
    Column("whole blocks"),
    Column("works"),
)


def payload(entry: Entry[Parallel]) -> dict[str, Any]:
    """The `parallel` object of the JSON contract."""
    model, found = entry.ok()
    data: dict[str, Any] = {"parallel": found.to_dict()}
    if entry.base is not None:
        data |= {"base": {"parallel": entry.base.to_dict()}, "changes": {"set": list(entry.changes)}}
    return data | {"notes": list(model.notes)}


def rows(entry: Entry[Parallel]) -> list[dict[str, Any]]:
    """One row per split."""
    _, found = entry.ok()
    return [
        {
            "tp": split.tp,
            "works": split.works,
            "heads": _listed(dict.fromkeys(split.heads)),
            "kv_heads": _listed(dict.fromkeys(split.kv_heads)),
            "kv_copies": split.kv_copies,
            "widths": _listed(dict.fromkeys(split.widths)),
            "expert_widths": _listed(dict.fromkeys(split.expert_widths)),
            "vocabulary_rest": split.vocabulary_rest,
            "quantised": split.quantised,
            "broken": "; ".join(split.broken),
        }
        for split in found.splits
    ]


def document(entries: Sequence[Entry[Parallel]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Parallel]) -> Iterator[Part]:
    _, found = entry.ok()
    yield without_empty(Table(COLUMNS, tuple(_row(split) for split in found.splits)))
    yield Facts(tuple(_facts(found)))
    yield from notes(entry)


def _row(split: Split) -> Row:
    copies = f" × {split.kv_copies} copies" if split.kv_copies > 1 else ""
    whole = "" if split.quantised is None else "yes" if split.quantised else "no"
    verdict = "yes" if split.works else f"no: {'; '.join(split.broken)}"
    if split.works and split.vocabulary_rest:
        verdict += ", vocabulary padded"
    cells = (str(split.tp), _numbers(split.heads), f"{_numbers(split.kv_heads)}{copies}", _numbers(split.widths))
    return Row((*cells, _numbers(split.expert_widths), whole, verdict))


def _facts(found: Parallel) -> Iterator[tuple[str, str]]:
    yield "tensor parallel", _listed([split.tp for split in found.splits if split.works])
    if found.experts:
        yield "expert parallel", f"{_listed(found.ep)}: divisors of {grouped(found.experts)} experts"
    yield "pipeline parallel", f"{_listed(found.pp)}: divisors of {grouped(found.layers)} layers"
    if found.block:
        yield "quantisation", f"each slice of a width must hold whole blocks of {found.block}"


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(grouped(n) for n in dict.fromkeys(numbers))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


REPORT: Report[Parallel] = Report(payload=payload, document=document, rows=rows)
