"""How models look side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ffncalc.analysis.compare import Summary
from ffncalc.errors import UsageError, nearest
from ffncalc.report.document import Column, Facts, Row, Section, Table
from ffncalc.report.entry import Entry, Report
from ffncalc.report.numbers import grouped, percent, short

SORTS = ("name", *(field.name for field in fields(Summary)))


def payload(entry: Entry[Summary]) -> dict[str, Any]:
    """The `summary` object beside `model`."""
    model, found = entry.ok()
    data: dict[str, Any] = {"summary": found.to_dict()}
    if entry.base is not None:
        data |= {"base": {"summary": entry.base.to_dict()}, "changes": {"set": list(entry.changes)}}
    return data | {"notes": list(model.notes)}


def rows(entry: Entry[Summary]) -> list[dict[str, Any]]:
    """One row per model."""
    return [entry.ok()[1].to_dict() | ({"set": " ".join(entry.changes)} if entry.changes else {})]


def sort_key(column: str | None) -> str | None:
    """The column of that name.

    Raises:
        UsageError: there is none.
    """
    wanted = column.strip().lower().replace(" ", "_").replace("-", "_") if column else None
    if wanted is None or wanted in SORTS:
        return wanted
    near = nearest(wanted, SORTS, 1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"--sort: no column {column!r}", f"{hint}Columns: {', '.join(SORTS)}.")


def ordered(entries: Sequence[Entry[Summary]], key: str | None, *, reverse: bool = False) -> list[Entry[Summary]]:
    """Entries by a column; those without a value there, and failed ones, come last."""
    if key is None:
        return list(reversed(entries)) if reverse else list(entries)
    known = [entry for entry in entries if _value(entry, key) is not None]
    rest = [entry for entry in entries if _value(entry, key) is None]
    return [*sorted(known, key=lambda entry: _value(entry, key), reverse=reverse), *rest]


def _value(entry: Entry[Summary], key: str) -> Any:
    if entry.error is not None:
        return None
    return entry.ref.casefold() if key == "name" else getattr(entry.ok()[1], key)


COLUMNS = (
    Column("model"),
    Column("layers", number=True),
    Column("hidden", number=True),
    Column("FFN width", number=True),
    Column("ratio", number=True),
    Column("FFN"),
    Column("experts", number=True),
    Column("total", number=True),
    Column("active", number=True),
    Column("FFN share", number=True),
    Column("crossover", number=True),
)


def document(entries: Sequence[Entry[Summary]]) -> list[Section]:
    """All models in one table."""
    full, few = (tuple(_row(e, shown) for e in _with_base(entries)) for shown in (grouped, short))
    said = tuple(("note", f"{entry.ref}: {note}") for entry in entries for note in entry.ok()[0].notes)
    parts = (Table(COLUMNS, full, few), *((Facts(said),) if said else ()))
    return [Section(f"{len(entries)} models" if len(entries) != 1 else "1 model", "", parts)]


def _with_base(entries: Sequence[Entry[Summary]]) -> list[tuple[str, Summary, int]]:
    """Rows of all models, each changed one above its unchanged self."""
    rows = []
    for entry in entries:
        name = f"{entry.ref} with {', '.join(entry.changes)}" if entry.changes else entry.ref
        rows.append((name, entry.ok()[1], 0))
        if entry.base is not None:
            rows.append(("unchanged", entry.base, 1))
    return rows


def _row(each: tuple[str, Summary, int], number: Any) -> Row:
    name, s, level = each
    cells = (
        name,
        str(s.layers),
        grouped(s.hidden),
        "" if s.ffn_width is None else grouped(s.ffn_width),
        "" if s.expansion is None else f"{s.expansion:.3g}",
        s.ffn_kind or "none",
        "" if s.experts is None else f"{s.top_k} of {s.experts}",
        number(s.total),
        number(s.active),
        percent(s.ffn_share),
        "never" if s.crossover is None else grouped(s.crossover),
    )
    return Row(cells, level)


REPORT: Report[Summary] = Report(payload=payload, document=document, rows=rows)
