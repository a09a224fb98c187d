"""A chart in the terminal: bands of colour, or of characters where there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from ffncalc.report.curves import BANDS, Curves, curves, ends, tick, ticks
from ffncalc.report.document import clean
from ffncalc.report.entry import Entry, Screen
from ffncalc.report.numbers import grouped

if TYPE_CHECKING:
    from ffncalc.report.flops import Costed

HEIGHT, MARGIN = 16, 6
WIDEST, NARROWEST = 100, 40  # columns of a chart with its margin; a narrower screen shows none
COLORS = {  # of the 256 that most terminals have
    "ffn": 33,
    "router": 39,
    "head": 248,
    "attention_projections": 221,
    "mixer": 77,
    "other": 240,
    "attention_core": 203,
}
SHADES = {
    "ffn": "█",
    "router": "▚",
    "head": "▒",
    "attention_projections": "▓",
    "mixer": "▞",
    "other": "·",
    "attention_core": "░",
}
LETTERS = {
    "ffn": "#",
    "router": "r",
    "head": "h",
    "attention_projections": "=",
    "mixer": "m",
    "other": "o",
    "attention_core": ".",
}
LINES = (33, 203, 77, 221, 171, 45, 208, 248)


def page(entries: Sequence[Entry[Costed]], screen: Screen) -> str:
    """The chart of all results: bands for one model, a line of the FFN's share for each of several."""
    good = [entry for entry in entries if entry.error is None]
    columns = _columns(screen)
    if not good or columns < NARROWEST:
        return ""
    first, last = ends(good)
    found = [curves(entry, first, last, min(columns, WIDEST) - MARGIN - 2) for entry in good]
    lines = bands(found[0], screen) if len(found) == 1 else overlay(found, screen)
    return "\n" + "\n".join(lines) + "\n"


def _columns(screen: Screen) -> int:
    return screen.width or WIDEST


def bands(found: Curves, screen: Screen) -> list[str]:
    """Stacked shares, the FFN at the bottom, the attention core on top; a mark at the crossover."""
    names = [band for band in BANDS if band in found.shares]
    at = _column(found.crossover, found.contexts)
    rows = []
    for r in range(HEIGHT):
        level = 1 - (r + 0.5) / HEIGHT
        cells = [_band(found, names, i, level) for i in range(len(found.contexts))]
        rows.append(_label(r) + _painted(cells, at, screen))
    head = _wrapped(f"share of the FLOPs per token, {clean(found.name)}", _columns(screen))
    return [*head, *rows, *_axis(found, screen), *_marked(found, at, screen), *_legend(names, screen)]


def _legend(names: Sequence[str], screen: Screen) -> Iterator[str]:
    """The name of each band beside its colour, as many in a line as fit."""
    room, swatch = _columns(screen) - MARGIN, 1 if screen.ascii else 2
    line, used = "", 0
    for band in reversed(names):
        size = swatch + 1 + len(BANDS[band]) + 2
        if used + size - 2 > room:
            yield _indent(line.rstrip())
            line, used = "", 0
        line, used = f"{line}{_paint(band, swatch, screen)} {BANDS[band]}  ", used + size
    yield _indent(line.rstrip())


def _band(found: Curves, names: Sequence[str], i: int, level: float) -> str:
    """The band that is at this height of column `i`."""
    height = 0.0
    for name in names:
        height += found.shares[name][i]
        if level < height:
            return name
    return names[-1]


def _painted(cells: Sequence[str], at: int | None, screen: Screen) -> str:
    """One row, runs of one band together."""
    text, i = "", 0
    bar = "|" if screen.ascii else "│"
    while i < len(cells):
        if i == at:
            text, i = text + bar, i + 1
            continue
        j = i
        while j < len(cells) and cells[j] == cells[i] and j != at:
            j += 1
        text += _paint(cells[i], j - i, screen)
        i = j
    return text


def _paint(band: str, count: int, screen: Screen) -> str:
    if screen.ascii:
        return LETTERS[band] * count
    if not screen.color:
        return SHADES[band] * count
    return f"\x1b[38;5;{COLORS[band]}m{'█' * count}\x1b[0m"


def overlay(found: Sequence[Curves], screen: Screen) -> list[str]:
    """A line for each model, drawn with its letter; the later of two in one place is hidden."""
    width = len(found[0].contexts)
    grid: list[list[int | None]] = [[None] * width for _ in range(HEIGHT)]
    for k in range(len(found) - 1, -1, -1):
        for i, share in enumerate(found[k].ffn):
            grid[min(HEIGHT - 1, int((1 - share) * HEIGHT))][i] = k
    rows = [_label(r) + "".join(_mark(k, screen) for k in row).rstrip() for r, row in enumerate(grid)]
    head = _wrapped("share of the FFN in the FLOPs per token", _columns(screen))
    legend = []
    for k, each in enumerate(found):
        first, *rest = _wrapped(f"{clean(each.name)}{_crossing(each)}", _columns(screen) - MARGIN - 2)
        legend += [_indent(f"{_mark(k, screen)} {first}"), *(_indent(f"  {line}") for line in rest)]
    return [*head, *rows, *_axis(found[0], screen), *legend]


def _mark(k: int | None, screen: Screen) -> str:
    if k is None:
        return " "
    letter = chr(ord("a") + k % 26)
    return f"\x1b[38;5;{LINES[k % len(LINES)]}m{letter}\x1b[0m" if screen.color else letter


def _crossing(found: Curves) -> str:
    if not found.marked:
        return ""
    return ", no crossover" if found.crossover is None else f", crossover at {grouped(found.crossover)}"


def _label(r: int) -> str:
    share = {0: "100 %", HEIGHT // 4: "75 %", HEIGHT // 2: "50 %", 3 * HEIGHT // 4: "25 %"}.get(r, "")
    return f"{share:>{MARGIN - 1}} "


def _indent(text: str) -> str:
    return " " * MARGIN + text


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_on_hyphens=False)


def _column(context: int | None, contexts: Sequence[int]) -> int | None:
    """The column that a context falls into; None where it is outside."""
    if context is None or not contexts[0] <= context <= contexts[-1]:
        return None
    position = math.log(context / contexts[0]) / math.log(contexts[-1] / contexts[0])
    return round(position * (len(contexts) - 1))


def _axis(found: Curves, screen: Screen) -> Iterator[str]:
    """Contexts below the chart."""
    width = len(found.contexts)
    line = [" "] * width
    end = -2
    for number in ticks(found.contexts[0], found.contexts[-1]):
        column, text = _column(number, found.contexts), tick(number)
        if column is None:
            continue
        start = max(0, min(column - len(text) // 2, width - len(text)))
        if start > end + 1:
            line[start : start + len(text)] = text
            end = start + len(text)
    numbers, label = "".join(line).rstrip(), "context"
    if len(numbers) + 2 + len(label) <= _columns(screen) - MARGIN:
        yield _indent(f"{numbers}  {label}")
    else:
        yield _indent(numbers)
        yield _indent(f"{label:>{width}}")


def _marked(found: Curves, at: int | None, screen: Screen) -> Iterator[str]:
    """What the mark in column `at` means: to its right, else to its left, else below it."""
    if at is None:
        return
    assert found.crossover is not None
    width = len(found.contexts)
    mark, words = "^" if screen.ascii else "▲", f"the core overtakes the FFN at {grouped(found.crossover)}"
    if at + 2 + len(words) <= width:
        yield _indent(" " * at + f"{mark} {words}")
    elif at >= len(words) + 1:
        yield _indent(" " * (at - len(words) - 1) + f"{words} {mark}")
    else:
        yield _indent(" " * at + mark)
        yield from map(_indent, _wrapped(words, width))
