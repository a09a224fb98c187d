"""Charts as SVG, written without a library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from xml.sax.saxutils import escape

from ffncalc.report.curves import BANDS, Curves, tick, ticks
from ffncalc.report.numbers import grouped
from ffncalc.report.picture import COLORS, LINES

WIDTH, HEIGHT = 900, 500
LEFT, RIGHT, TOP, BOTTOM = 64, 724, 96, 436
INK, PALE, GRID = "#1d232b", "#5b6470", "#e3e6ea"
FONTS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
SUBTITLE = 116  # characters of a line below the title
SHARES = (0, 25, 50, 75, 100)


def bands(found: Curves) -> str:
    """Stacked shares of one model, the FFN at the bottom."""
    body = [*_frame(found), *_areas(found), *_marks(found)]
    return _page(found.name, "share of the FLOPs of one token", found.convention, body, HEIGHT)


def overlay(found: Sequence[Curves]) -> str:
    """The share of the FFN of several models, with a dot where the attention core overtakes it."""
    body = [*_frame(found[0]), *_grid()]
    for k, each in enumerate(found):
        color = LINES[k % len(LINES)]
        points = " ".join(f"{x(n, each):.1f},{y(share):.1f}" for n, share in zip(each.contexts, each.ffn, strict=True))
        body.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2.5"/>')
        if each.crossover and _inside(each.crossover, each):
            body.append(_dot(each, color))
    height = HEIGHT + 14 + 22 * len(found)
    for k, each in enumerate(found):
        top = HEIGHT + 8 + 22 * k
        body.append(f'<rect x="{LEFT}" y="{top - 9}" width="22" height="4" fill="{LINES[k % len(LINES)]}"/>')
        body.append(_text(LEFT + 32, top, f"{each.name}{crossing(each)}"))
    return _page("Share of the FFN", "in the FLOPs of one token", found[0].convention, body, height)


def crossing(found: Curves) -> str:
    """Where the attention core overtakes the FFN, as a legend says it."""
    if not found.marked:
        return ""
    return ", no crossover" if found.crossover is None else f", crossover at {grouped(found.crossover)}"


def x(context: float, found: Curves) -> float:
    """Where a context stands."""
    first, last = found.contexts[0], found.contexts[-1]
    return LEFT + (RIGHT - LEFT) * math.log(context / first) / math.log(last / first)


def y(share: float) -> float:
    """Where a share stands."""
    return BOTTOM - (BOTTOM - TOP) * share


def _inside(context: int, found: Curves) -> bool:
    return found.contexts[0] <= context <= found.contexts[-1]


def _page(title: str, what: str, convention: str, body: Sequence[str], height: int) -> str:
    subtitle = wrap(f"{what}; {convention}", SUBTITLE)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="{FONTS}" font-size="13" fill="{INK}">',
        f"<title>{escape(title)}: {what}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(LEFT, 30, title, size=19, weight="600"),
        *(_text(LEFT, 50 + 15 * i, line, size=12, color=PALE) for i, line in enumerate(subtitle)),
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _text(
    left: float,
    base: float,
    text: str,
    *,
    size: int = 13,
    color: str = INK,
    anchor: str = "start",
    weight: str = "400",
) -> str:
    return (
        f'<text x="{left:.1f}" y="{base:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )


def _frame(found: Curves) -> Iterator[str]:
    """Axes and their labels."""
    for share in SHARES:
        yield _text(LEFT - 10, y(share / 100) + 4, f"{share} %", color=PALE, anchor="end")
    for number in ticks(found.contexts[0], found.contexts[-1]):
        at = x(number, found)
        yield f'<line x1="{at:.1f}" y1="{BOTTOM}" x2="{at:.1f}" y2="{BOTTOM + 5}" stroke="{PALE}"/>'
        yield _text(at, BOTTOM + 20, tick(number), color=PALE, anchor="middle")
    yield _text((LEFT + RIGHT) / 2, BOTTOM + 40, "context (tokens, log scale)", color=PALE, anchor="middle")


def _grid() -> Iterator[str]:
    for share in SHARES:
        yield f'<line x1="{LEFT}" y1="{y(share / 100):.1f}" x2="{RIGHT}" y2="{y(share / 100):.1f}" stroke="{GRID}"/>'


def _areas(found: Curves) -> Iterator[str]:
    """One polygon per band, and its name beside the right edge, or beside that of its neighbour."""
    below = [0.0] * len(found.contexts)
    names = [band for band in BANDS if band in found.shares]
    for band in names:
        above = [min(1.0, b + share) for b, share in zip(below, found.shares[band], strict=True)]
        edge = [(x(n, found), y(b)) for n, b in zip(found.contexts, below, strict=True)]
        upper = [(x(n, found), y(a)) for n, a in zip(found.contexts, above, strict=True)]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in (*edge, *reversed(upper)))
        yield f'<polygon points="{points}" fill="{COLORS[band]}" stroke="{COLORS[band]}" stroke-width="0.4"/>'
        below = above
    for i, band in enumerate(reversed(names)):
        top = TOP + 12 + 26 * i
        yield f'<rect x="{RIGHT + 20}" y="{top - 11}" width="14" height="14" rx="2" fill="{COLORS[band]}"/>'
        yield _text(RIGHT + 42, top + 1, BANDS[band])


def _marks(found: Curves) -> Iterator[str]:
    """The crossover, and the longest context that the model is made for."""
    if found.max_context and _inside(found.max_context, found):
        at = x(found.max_context, found)
        yield _line(at, "2 4")
        words = _text(0, 0, f"made for {grouped(found.max_context)}", anchor="end", size=12)
        yield f'<g transform="translate({at - 6:.1f} {TOP + 8}) rotate(-90)">{words}</g>'
    if found.crossover and _inside(found.crossover, found):
        at = x(found.crossover, found)
        yield _line(at, "6 4")
        yield _text(at, TOP - 8, f"core overtakes FFN at {grouped(found.crossover)}", anchor="middle", size=12)


def _line(at: float, dashes: str) -> str:
    return (
        f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{BOTTOM}" stroke="{INK}" stroke-width="1.4" '
        f'stroke-dasharray="{dashes}"/>'
    )


def _dot(found: Curves, color: str) -> str:
    """A dot on the line of the FFN at the crossover."""
    assert found.crossover is not None
    nearest = min(range(len(found.contexts)), key=lambda i: abs(math.log(found.contexts[i] / (found.crossover or 1))))
    left, top = x(found.crossover, found), y(found.ffn[nearest])
    return f'<circle cx="{left:.1f}" cy="{top:.1f}" r="5" fill="{color}" stroke="#ffffff" stroke-width="1.5"/>'
