"""Sections for a terminal: aligned columns where they fit, one block per row where they do not.

Numbers and names are never cut off. With `width` None (a pipe, a file) nothing is wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from rich.cells import cell_len, chop_cells, set_cell_size  # these alone: the console costs start-up time

from ffncalc.report.document import Column, Facts, Lines, Part, Row, Section, Table, clean, without_empty
from ffncalc.report.entry import Screen

ENDLESS = 100_000  # cells; wider than any line
NARROWEST_NAME = 16  # cells below which a column of names is not folded
NARROWEST_WORDS = 24  # cells below which the words of a fact go below its label
GAP = 2
JOINTS = re.compile(r"[^\s/._,+-]*[\s/._,+-]*")
STYLES = {"bold": "1", "dim": "2", "label": "36"}


def text(sections: Sequence[Section], screen: Screen) -> str:
    """All sections, with escape codes where the screen has colours."""
    pages = ("\n".join(_section(section, screen)) for section in sections)
    return "\n\n".join(pages) + "\n" if sections else ""


def styled(text: str, style: str, screen: Screen) -> str:
    """Text in a style, line by line, where the screen has any."""
    if not screen.color or not style:
        return text
    return "\n".join(f"\x1b[{STYLES[style]}m{line}\x1b[0m" if line else line for line in text.split("\n"))


def _section(section: Section, screen: Screen) -> Iterator[str]:
    width = screen.width or ENDLESS
    yield styled("\n".join(_wrapped(clean(section.title), width, 2)), "bold", screen)
    if section.subtitle:
        yield styled("\n".join(_wrapped(clean(section.subtitle), width, 2)), "dim", screen)
    for part in section.parts:
        yield ""
        yield from _part(part, screen)


def _part(part: Part, screen: Screen) -> Iterator[str]:
    width = screen.width or ENDLESS
    if isinstance(part, Lines):
        if part.title:
            yield styled("\n".join(_wrapped(clean(part.title), width, 2)), "bold", screen)
        for line in part.lines:
            yield from _wrapped(clean(line), width, 4)
    elif isinstance(part, Facts):
        yield from _facts(part, screen)
    else:
        yield from _fitting(without_empty(part), screen)


def _wrapped(line: str, width: int, further: int) -> list[str]:
    """A line broken at spaces, continued `further` cells in."""
    if cell_len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + further)
    return wrap(line, max(width, 8), subsequent_indent=indent, break_on_hyphens=False)


def _facts(facts: Facts, screen: Screen) -> Iterator[str]:
    width = screen.width or ENDLESS
    pairs = [(clean(label), clean(words)) for label, words in facts.pairs]
    widest = max((cell_len(label) for label, _ in pairs), default=0)
    for label, words in pairs:
        if width < widest + GAP + NARROWEST_WORDS:
            yield styled(label, "label", screen)
            yield from _wrapped(f"  {words}", width, 0)
        else:
            first, *rest = _wrapped(words, width - widest - GAP, 0)
            yield styled(set_cell_size(label, widest), "label", screen) + " " * GAP + first
            yield from (" " * (widest + GAP) + line for line in rest)


def _fitting(table: Table, screen: Screen) -> Iterator[str]:
    """The table in the fullest form that fits: as it is, names on lines of their own, fewer digits, row by row."""
    width = screen.width or ENDLESS
    for rows in filter(None, (table.rows, table.short)):
        if _needs(table.columns, rows) <= width:
            return _grid(table.columns, rows, _fitted(table.columns, rows, width), screen)
        rest = tuple(Row(row.cells[1:]) for row in rows)
        if _needs(table.columns[1:], rest) + GAP <= width:
            return _headed(table.columns, rows, _fitted(table.columns[1:], rest, width - GAP), screen)
    return _blocks(table, screen)


def _widths(columns: Sequence[Column], rows: Sequence[Row]) -> list[int]:
    """The width of each column as it stands."""
    widths = []
    for i, column in enumerate(columns):
        cells = (cell_len(clean(row.cells[i])) + GAP * row.level * (i == 0) for row in rows)
        widths.append(max([*cells, *map(cell_len, column.title.split())], default=0))
    return widths


def _needs(columns: Sequence[Column], rows: Sequence[Row]) -> int:
    """The narrowest width at which no number breaks and names still read."""
    widths = zip(columns, _widths(columns, rows), strict=True)
    return sum(GAP + (n if column.number else min(n, NARROWEST_NAME)) for column, n in widths) - GAP


def _fitted(columns: Sequence[Column], rows: Sequence[Row], width: int) -> list[int]:
    """The width of each column within `width`: titles give way first, then the widest column of names."""
    widths = _widths(columns, rows)
    titled = [max(n, cell_len(column.title)) for n, column in zip(widths, columns, strict=True)]
    if sum(titled) + GAP * (len(titled) - 1) <= width:
        return titled
    names = [i for i, column in enumerate(columns) if not column.number]
    while names and sum(widths) + GAP * (len(widths) - 1) > width:
        widest = max(names, key=lambda i: widths[i])
        if widths[widest] <= NARROWEST_NAME:
            break
        widths[widest] -= 1
    return widths


def _grid(columns: Sequence[Column], rows: Sequence[Row], widths: Sequence[int], screen: Screen) -> Iterator[str]:
    yield from _head(columns, widths, screen)
    for row in rows:
        cells = (" " * GAP * row.level + row.cells[0], *row.cells[1:])
        yield _aligned(cells, columns, widths, _style(row), screen)


def _headed(columns: Sequence[Column], rows: Sequence[Row], widths: Sequence[int], screen: Screen) -> Iterator[str]:
    """The first cell of a row on a line of its own, the others in columns below it."""
    columns, widths = (Column(""), *columns[1:]), (0, *widths)
    yield from _head(columns, widths, screen)
    for row in rows:
        name = _folded(" " * GAP * row.level + clean(row.cells[0]), screen.width or ENDLESS)
        yield styled("\n".join(name), _style(row), screen)
        yield _aligned(("", *row.cells[1:]), columns, widths, _style(row), screen)


def _head(columns: Sequence[Column], widths: Sequence[int], screen: Screen) -> Iterator[str]:
    yield _aligned([column.title for column in columns], columns, widths, "dim", screen)
    rule = "-" if screen.ascii else "─"
    yield styled(rule * (sum(widths) + GAP * (len(widths) - 1)), "dim", screen)


def _style(row: Row) -> str:
    return "bold" if row.total else "dim" if row.level else ""


def _aligned(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int], style: str, screen: Screen) -> str:
    """One row; a folded cell makes it several lines high."""
    folded = [_folded(clean(cell), width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for pieces in zip_longest(*folded, fillvalue=""):
        padded = (
            " " * (width - cell_len(piece)) + piece if column.number else set_cell_size(piece, width)
            for piece, column, width in zip(pieces, columns, widths, strict=True)
        )
        lines.append((" " * GAP).join(padded).rstrip())
    return styled("\n".join(lines), style, screen)


def _folded(cell: str, width: int) -> list[str]:
    """A cell in lines of at most `width`, broken where a name has its joints."""
    if cell_len(cell) <= width:
        return [cell]
    lines = [""]
    for piece in JOINTS.findall(cell):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        if lines[-1]:
            lines[-1] += piece
        else:
            lines[-1:] = chop_cells(piece, width) or [""]
    return [line.rstrip() for line in lines if line.strip()]


def _blocks(table: Table, screen: Screen) -> Iterator[str]:
    """Each row as a block: its first cell, then one line per column."""
    width = screen.width or ENDLESS
    titles = [column.title for column in table.columns[1:]]
    widest = max(map(cell_len, titles), default=0) + GAP
    for row in table.rows:
        first, *rest = map(clean, row.cells)
        yield styled("\n".join(_folded(first, width)), "bold", screen)
        for title, cell in zip(titles, rest, strict=True):
            if cell and GAP + widest + cell_len(cell) <= width:
                yield " " * GAP + styled(set_cell_size(title, widest), "dim", screen) + cell
            elif cell:
                yield " " * GAP + styled(title, "dim", screen)
                yield from (" " * 2 * GAP + line for line in _folded(cell, max(width - 2 * GAP, 1)))
