"""Sections for a terminal: aligned columns where they fit, one block per row where they do not.

Numbers and names are never cut off. With `width` None (a pipe, a file) nothing is wrapped.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ffncalc.report.document import Facts, Lines, Part, Row, Section, Table, clean, without_empty
from ffncalc.report.entry import Screen

ENDLESS = 100_000  # cells; wider than any line
NARROWEST_NAME = 16  # cells below which a column of names is not folded
GAP = 2


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


def _wrapped(line: str, width: int) -> list[str]:
    """A line broken at spaces, continued further in."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, max(width, 8), subsequent_indent=indent, break_on_hyphens=False) if line else [""]


def _facts(facts: Facts, width: int) -> RenderableType:
    pairs = [(clean(label), clean(words)) for label, words in facts.pairs]
    widest = max((cell_len(label) for label, _ in pairs), default=0)
    if width < widest + GAP + 24:
        return Text("\n").join(Text.assemble((label, "cyan"), f"\n  {words}") for label, words in pairs)
    grid = Grid.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(overflow="fold")
    for label, words in pairs:
        grid.add_row(label, Text(words))
    return grid


def _fitting(table: Table, screen: Screen) -> RenderableType:
    """The table in the fullest form that fits."""
    width = screen.width or ENDLESS
    if _needs(table, table.rows) <= width:
        return _grid(table, table.rows, screen)
    if table.short and _needs(table, table.short) <= width:
        return _grid(table, table.short, screen)
    return _blocks(table)


def _needs(table: Table, rows: Sequence[Row]) -> int:
    """The narrowest width at which no number breaks and names still read."""
    width = 0
    for i, column in enumerate(table.columns):
        widest = max((cell_len(clean(row.cells[i])) + GAP * row.level * (i == 0) for row in rows), default=0)
        title = max(map(cell_len, column.title.split()), default=0)
        width += GAP + max(title, widest if column.number else min(widest, NARROWEST_NAME))
    return width - GAP


def _grid(table: Table, rows: Sequence[Row], screen: Screen) -> RenderableType:
    style = box.Box("    \n    \n -- \n    \n    \n -- \n    \n    \n", ascii=True) if screen.ascii else box.SIMPLE_HEAD
    grid = Grid(
        box=style, padding=(0, GAP, 0, 0), pad_edge=False, show_edge=False, header_style="dim", collapse_padding=True
    )
    for column in table.columns:
        justify = "right" if column.number else "left"
        grid.add_column(column.title, justify=justify, no_wrap=column.number, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        first, *rest = map(clean, row.cells)
        grid.add_row(
            " " * GAP * row.level + first,
            *rest,
            style="bold" if row.total else "dim" if row.level else "",
        )
    return grid


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
