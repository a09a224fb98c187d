"""A page before it has a form: sections of tables, facts and lines, all of plain strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column; numbers are set to the right and never broken."""

    title: str
    number: bool = False


@dataclass(frozen=True)
class Row:
    """Cells in the order of the columns. `level` 1 is a part of the row above, `total` the sum of all."""

    cells: tuple[str, ...]
    level: int = 0
    total: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under column titles. `short` holds the same rows in fewer digits, for when the others do not fit."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    short: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Facts:
    """Labels with a few words or numbers each."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lines:
    """Lines of text that stay lines, such as derivations, under a title."""

    title: str
    lines: tuple[str, ...]


Part = Table | Facts | Lines


@dataclass(frozen=True)
class Section:
    """One model, or one comparison: a title, a line below it, and its parts."""

    title: str
    subtitle: str = ""
    parts: tuple[Part, ...] = ()


def clean(text: str) -> str:
    """Text of unknown origin without line breaks and control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def without_empty(table: Table) -> Table:
    """The table without the columns that are empty in every row."""
    keep = [i for i in range(len(table.columns)) if any(row.cells[i] for row in table.rows)]

    def kept(rows: Iterable[Row]) -> tuple[Row, ...]:
        return tuple(Row(tuple(row.cells[i] for i in keep), row.level, row.total) for row in rows)

    return Table(tuple(table.columns[i] for i in keep), kept(table.rows), kept(table.short))
