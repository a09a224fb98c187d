"""Charts as PNG, drawn by matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from ffncalc.report.curves import BANDS, Curves, tick, ticks
from ffncalc.report.numbers import grouped
from ffncalc.report.picture import COLORS, LINES
from ffncalc.report.svg import SUBTITLE, crossing

INK, PALE, GRID = "#1d232b", "#5b6470", "#e3e6ea"


def bands(found: Curves, path: Path) -> None:
    """Stacked shares of one model, the FFN at the bottom."""
    figure, axes = _figure(found, found.name, f"share of the FLOPs of one token; {found.convention}")
    names = [band for band in BANDS if band in found.shares]
    layers = axes.stackplot(
        found.contexts,
        *(found.shares[band] for band in names),
        colors=[COLORS[band] for band in names],
        linewidth=0,
    )
    if found.max_context and found.contexts[0] <= found.max_context <= found.contexts[-1]:
        axes.axvline(found.max_context, color=INK, linestyle=":", linewidth=1.3)
        axes.annotate(
            f"made for {grouped(found.max_context)}",
            (found.max_context, 0.975),
            xytext=(-4, 0),
            textcoords="offset points",
            rotation=90,
            color=INK,
            ha="right",
            va="top",
            fontsize=9,
        )
    if found.crossover and found.contexts[0] <= found.crossover <= found.contexts[-1]:
        axes.axvline(found.crossover, color=INK, linestyle="--", linewidth=1.3)
        axes.annotate(
            f"core overtakes FFN at {grouped(found.crossover)}",
            (found.crossover, 1.015),
            ha="center",
            fontsize=9,
            annotation_clip=False,
        )
    axes.legend(
        list(reversed(layers)),
        [BANDS[b] for b in reversed(names)],
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        frameon=False,
    )
    _save(figure, path)


def overlay(found: Sequence[Curves], path: Path) -> None:
    """The share of the FFN of several models, with a dot where the attention core overtakes it."""
    figure, axes = _figure(found[0], "Share of the FFN", f"in the FLOPs of one token; {found[0].convention}")
    axes.grid(axis="y", color=GRID)
    for k, each in enumerate(found):
        color = LINES[k % len(LINES)]
        axes.plot(each.contexts, each.ffn, color=color, linewidth=2.2, label=f"{each.name}{crossing(each)}")
        if each.crossover and each.contexts[0] <= each.crossover <= each.contexts[-1]:
            near = min(range(len(each.contexts)), key=lambda i: abs(math.log(each.contexts[i] / (each.crossover or 1))))
            axes.plot([each.crossover], [each.ffn[near]], "o", color=color, markersize=8, markeredgecolor="white")
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.14), frameon=False)
    _save(figure, path)


def _figure(found: Curves, title: str, subtitle: str) -> tuple[Any, Any]:
    """A figure without a display, its axes, titles and ticks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), dpi=160, facecolor="white")
    axes = figure.add_subplot()
    axes.set_xscale("log", base=2)
    axes.set_xlim(found.contexts[0], found.contexts[-1])
    axes.set_ylim(0, 1)
    numbers = ticks(found.contexts[0], found.contexts[-1])
    axes.set_xticks(numbers, [tick(n) for n in numbers])
    axes.minorticks_off()
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.tick_params(colors=PALE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("context (tokens, log scale)", color=PALE)
    axes.set_title(title, loc="left", fontsize=14, fontweight="bold", pad=44, color=INK)
    lines = "\n".join(wrap(subtitle, SUBTITLE))
    axes.text(0, 1.075, lines, transform=axes.transAxes, fontsize=8, color=PALE)
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, bbox_inches="tight", pad_inches=0.2)
