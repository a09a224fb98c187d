"""A chart in the terminal: bands of colour, or of characters where there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ffncalc.report.curves import BANDS, Curves, curves, ends, tick, ticks
from ffncalc.report.entry import Entry, Screen
from ffncalc.report.numbers import grouped

if TYPE_CHECKING:
    from ffncalc.report.flops import Costed

HEIGHT, WIDEST, NARROWEST, MARGIN = 16, 100, 40, 6
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
    width = min(screen.width or WIDEST, WIDEST) - MARGIN - 2
    if not good or width < NARROWEST - MARGIN:
        return ""
    first, last = ends(good)
    found = [curves(entry, first, last, width) for entry in good]
    lines = bands(found[0], screen) if len(found) == 1 else overlay(found, screen)
    return "\n" + "\n".join(lines) + "\n"


def bands(found: Curves, screen: Screen) -> list[str]:
    """Stacked shares, the FFN at the bottom, the attention core on top; a mark at the crossover."""
    names = [band for band in BANDS if band in found.shares]
    at = _column(found.crossover, found.contexts)
    rows = []
    for r in range(HEIGHT):
        level = 1 - (r + 0.5) / HEIGHT
        cells = [_band(found, names, i, level) for i in range(len(found.contexts))]
        rows.append(_label(r) + _painted(cells, at, screen))
    legend = "  ".join(f"{_swatch(band, screen)} {BANDS[band]}" for band in reversed(names))
    return [f"share of the FLOPs per token, {found.name}", *rows, *_axis(found, [at], screen), _indent(legend)]


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


def _swatch(band: str, screen: Screen) -> str:
    return _paint(band, 1 if screen.ascii else 2, screen)


def overlay(found: Sequence[Curves], screen: Screen) -> list[str]:
    """A line for each model, drawn with its letter; the later of two in one place is hidden."""
    width = len(found[0].contexts)
    grid: list[list[int | None]] = [[None] * width for _ in range(HEIGHT)]
    for k in range(len(found) - 1, -1, -1):
        for i, share in enumerate(found[k].ffn):
            grid[min(HEIGHT - 1, int((1 - share) * HEIGHT))][i] = k
    rows = [_label(r) + "".join(_mark(k, screen) for k in row).rstrip() for r, row in enumerate(grid)]
    legend = [_indent(f"{_mark(k, screen)} {each.name}{_crossing(each)}") for k, each in enumerate(found)]
    return ["share of the FFN in the FLOPs per token", *rows, *_axis(found[0], [], screen), *legend]


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


def _column(context: int | None, contexts: Sequence[int]) -> int | None:
    """The column that a context falls into; None where it is outside."""
    if context is None or not contexts[0] <= context <= contexts[-1]:
        return None
    position = math.log(context / contexts[0]) / math.log(contexts[-1] / contexts[0])
    return round(position * (len(contexts) - 1))


def _axis(found: Curves, marks: Sequence[int | None], screen: Screen) -> list[str]:
    """Contexts below the chart, then what the marks mean."""
    width = len(found.contexts)
    line = [" "] * (width + 12)
    end = -2
    for number in ticks(found.contexts[0], found.contexts[-1]):
        column, text = _column(number, found.contexts), tick(number)
        if column is None:
            continue
        start = max(0, min(column - len(text) // 2, width - len(text)))
        if start > end + 1:
            line[start : start + len(text)] = text
            end = start + len(text)
    rows = [_indent("".join(line).rstrip() + "  context")]
    for mark in marks:
        if mark is not None:
            assert found.crossover is not None
            text = f"{'^' if screen.ascii else '▲'} the core overtakes the FFN at {grouped(found.crossover)}"
            start = min(mark, max(0, width - len(text)))
            rows.append(_indent(" " * start + text if start == mark else " " * (mark - len(text) + 1) + _flipped(text)))
    return rows


def _flipped(text: str) -> str:
    """The mark behind its words, where there is no room to its right."""
    mark, _, words = text.partition(" ")
    return f"{words} {mark}"
