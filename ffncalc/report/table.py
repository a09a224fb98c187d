"""Sections for a terminal: aligned columns where they fit, one block per row where they do not.

Numbers and names are never cut off. With `width` None (a pipe, a file) nothing is wrapped.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ffncalc.report.document import Column, Facts, Lines, Part, Row, Section, Table, clean, without_empty
from ffncalc.report.entry import Screen

ENDLESS = 100_000  # cells; wider than any line
NARROWEST_NAME = 16  # cells below which a column of names is not folded
GAP = 2
JOINTS = re.compile(r"[^\s/._,+-]*[\s/._,+-]*")


def text(sections: Sequence[Section], screen: Screen) -> str:
    """All sections, with escape codes where the screen has colours."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=screen.width or ENDLESS,
        force_terminal=screen.color,
        color_system="standard" if screen.color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
        _environ={},
    )
    for i, section in enumerate(sections):
        for part in (Text(), *_section(section, screen)) if i else _section(section, screen):
            console.print(part, overflow="fold", no_wrap=False, crop=False)
    lines = (line.rstrip() for line in out.getvalue().split("\n"))
    return "\n".join(lines)


def _section(section: Section, screen: Screen) -> Iterator[RenderableType]:
    yield Text(clean(section.title), style="bold")
    if section.subtitle:
        yield Text(clean(section.subtitle), style="dim")
    for part in section.parts:
        yield Text()
        yield from _part(part, screen)


def _part(part: Part, screen: Screen) -> Iterator[RenderableType]:
    width = screen.width or ENDLESS
    if isinstance(part, Lines):
        if part.title:
            yield Text(clean(part.title), style="bold")
        for line in part.lines:
            yield Text("\n".join(_wrapped(clean(line), width)))
    elif isinstance(part, Facts):
        yield _facts(part, width)
    else:
        yield _fitting(without_empty(part), screen)


def _wrapped(line: str, width: int, further: int = 4) -> list[str]:
    """A line broken at spaces, continued `further` cells in."""
    indent = " " * (len(line) - len(line.lstrip()) + further)
    return textwrap.wrap(line, max(width, 8), subsequent_indent=indent, break_on_hyphens=False) if line else [""]


def _facts(facts: Facts, width: int) -> RenderableType:
    pairs = [(clean(label), clean(words)) for label, words in facts.pairs]
    widest = max((cell_len(label) for label, _ in pairs), default=0)
    if width < widest + GAP + 24:
        blocks = (Text.assemble((label, "cyan"), "\n", *_lines(words, width)) for label, words in pairs)
        return Text("\n").join(blocks)
    grid = Grid.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(overflow="fold")
    for label, words in pairs:
        grid.add_row(label, Text(words))
    return grid


def _lines(words: str, width: int) -> list[str]:
    return ["\n".join(_wrapped(f"  {words}", width, 0))]


def _fitting(table: Table, screen: Screen) -> RenderableType:
    """The table in the fullest form that fits: as it is, names on lines of their own, fewer digits, row by row."""
    width = screen.width or ENDLESS
    for rows in filter(None, (table.rows, table.short)):
        if _needs(table, rows) <= width:
            return _grid(table, rows, _fitted(table, rows, width), screen)
        rest = Table(table.columns[1:], tuple(Row(row.cells[1:]) for row in rows))
        if _needs(rest, rest.rows) + GAP <= width:
            return _headed(table, rows, _fitted(rest, rest.rows, width - GAP), screen)
    return _blocks(table)


def _widths(table: Table, rows: Sequence[Row]) -> list[int]:
    """The width of each column as it stands."""
    widths = []
    for i, column in enumerate(table.columns):
        cells = (cell_len(clean(row.cells[i])) + GAP * row.level * (i == 0) for row in rows)
        widths.append(max([*cells, *map(cell_len, column.title.split())], default=0))
    return widths


def _needs(table: Table, rows: Sequence[Row]) -> int:
    """The narrowest width at which no number breaks and names still read."""
    widths = zip(table.columns, _widths(table, rows), strict=True)
    return sum(GAP + (n if column.number else min(n, NARROWEST_NAME)) for column, n in widths) - GAP


def _fitted(table: Table, rows: Sequence[Row], width: int) -> list[int]:
    """The width of each column within `width`: the widest column of names gives way first."""
    widths = _widths(table, rows)
    names = [i for i, column in enumerate(table.columns) if not column.number]
    while names and sum(widths) + GAP * (len(widths) - 1) > width:
        widest = max(names, key=lambda i: widths[i])
        if widths[widest] <= NARROWEST_NAME:
            break
        widths[widest] -= 1
    return widths


def _grid(table: Table, rows: Sequence[Row], widths: Sequence[int], screen: Screen) -> RenderableType:
    body = [
        _aligned([c.title for c in table.columns], table.columns, widths, "dim"),
        _rule(sum(widths), widths, screen),
    ]
    for row in rows:
        cells = [" " * GAP * row.level + row.cells[0], *row.cells[1:]]
        body.append(_aligned(cells, table.columns, widths, _style(row)))
    return Text("\n").join(body)


def _headed(table: Table, rows: Sequence[Row], widths: Sequence[int], screen: Screen) -> RenderableType:
    """The first cell of a row on a line of its own, the others in columns below it."""
    columns, indent = (Column(""), *table.columns[1:]), (0, *widths)
    body = [_aligned(["", *(c.title for c in columns[1:])], columns, indent, "dim"), _rule(sum(widths), indent, screen)]
    for row in rows:
        body.append(Text(" " * GAP * row.level + clean(row.cells[0]), style=_style(row)))
        body.append(_aligned(["", *row.cells[1:]], columns, indent, _style(row)))
    return Text("\n").join(body)


def _style(row: Row) -> str:
    return "bold" if row.total else "dim" if row.level else ""


def _rule(cells: int, widths: Sequence[int], screen: Screen) -> Text:
    return Text(("-" if screen.ascii else "─") * (cells + GAP * (len(widths) - 1)), style="dim")


def _aligned(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int], style: str) -> Text:
    """One row; a folded cell makes it several lines high."""
    folded = [_folded(clean(cell), width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for pieces in zip_longest(*folded, fillvalue=""):
        padded = (
            set_cell_size(piece, width) if not column.number else " " * (width - cell_len(piece)) + piece
            for piece, column, width in zip(pieces, columns, widths, strict=True)
        )
        lines.append((" " * GAP).join(padded).rstrip())
    return Text("\n".join(lines), style=style)


def _folded(cell: str, width: int) -> list[str]:
    """A cell in lines of at most `width`, broken where a name has its joints."""
    if cell_len(cell) <= width:
        return [cell]
    lines = [""]
    for piece in JOINTS.findall(cell):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        *whole, last = chop_cells(piece, width) or [""]
        lines[-1:] = [lines[-1] + part for part in (*whole, last)] if not lines[-1] else [lines[-1] + piece]
    return [line.rstrip() for line in lines if line.strip()]


def _blocks(table: Table) -> RenderableType:
    """Each row as a block: its first cell, then one line per column."""
    titles = [column.title for column in table.columns]
    widest = max(map(cell_len, titles[1:]), default=0)
    lines = Text()
    for row in table.rows:
        first, *rest = map(clean, row.cells)
        lines.append(first + "\n", style="bold")
        for title, cell in zip(titles[1:], rest, strict=True):
            if cell:
                lines.append(f"  {title}".ljust(widest + 2 + GAP), style="dim")
                lines.append(cell + "\n")
    lines.right_crop(1)
    return lines
