"""How the list of bundled configs looks."""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.analysis.compare import Summary
from ffncalc.report import compare
from ffncalc.report.document import Column, Row, Section, Table
from ffncalc.report.entry import Entry, Report
from ffncalc.report.numbers import grouped, short

COLUMNS = (
    Column("model"),
    Column("model type"),
    Column("total", number=True),
    Column("active", number=True),
    Column("", number=True),
)


def document(entries: Sequence[Entry[Summary]]) -> list[Section]:
    """All bundled configs in one table."""
    full = tuple(_row(entry, short_form=False) for entry in entries)
    few = tuple(_row(entry, short_form=True) for entry in entries)
    title = f"{len(entries)} bundled config{'s' if len(entries) != 1 else ''}"
    return [Section(title, "", (Table(COLUMNS, full, few),))]


def _row(entry: Entry[Summary], *, short_form: bool) -> Row:
    model, found = entry.ok()
    active = found.active if found.active != found.total else None
    number = short if short_form else grouped
    return Row(
        (
            entry.ref,
            model.model_type,
            number(found.total),
            "" if active is None else number(active),
            "" if short_form else short(found.total),
        )
    )


REPORT: Report[Summary] = Report(payload=compare.payload, document=document, rows=compare.rows)
