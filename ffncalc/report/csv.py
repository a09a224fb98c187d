"""Rows as CSV: for spreadsheets and notebooks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ffncalc.report.entry import Entry

T = TypeVar("T")

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet run a cell


def rows(make: Callable[[Entry[T]], list[dict[str, Any]]], entry: Entry[T]) -> list[dict[str, Any]]:
    """The rows of an entry, each with its model first and its notes last; a failed one has a row with its error."""
    origin = entry.origin
    if entry.error is not None:
        return [origin | {"error": entry.error.message}]
    model, _ = entry.ok()
    said = "; ".join(model.notes) or None
    return [origin | {"error": None} | row | {"notes": row.get("notes", said)} for row in make(entry)]


def text(rows: Sequence[dict[str, Any]]) -> str:
    """A header and one line per row; columns keep the order in which they first appear."""
    columns = list(dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def cell(value: object) -> object:
    """A value as a cell: true and false in lower case, nothing for null, and no string that starts a formula."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(FORMULA) and len(value) > 1:
        return "'" + value
    return value
