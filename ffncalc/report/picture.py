"""Charts for documents: SVG by itself, PNG with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ffncalc.errors import UsageError
from ffncalc.report.curves import curves, ends
from ffncalc.report.entry import Entry

if TYPE_CHECKING:
    from ffncalc.report.flops import Costed

POINTS = 241  # contexts of each curve
COLORS = {
    "ffn": "#2f6db5",
    "router": "#173a63",
    "head": "#b9c0ca",
    "attention_projections": "#f0c05a",
    "mixer": "#5fa55a",
    "other": "#8a8f98",
    "attention_core": "#d4505f",
}
LINES = ("#2f6db5", "#d4505f", "#3f9350", "#c98a12", "#7a55b0", "#12899b", "#b3477f", "#646b75")


def check(path: Path) -> None:
    """Whether such a file can be drawn.

    Raises:
        UsageError: another kind of file, or a PNG without matplotlib.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise UsageError(f"--chart {path}: the name must end in .svg or .png")
    if kind == ".png" and find_spec("matplotlib") is None:
        raise UsageError(
            f"--chart {path}: PNG needs matplotlib", "`pip install 'ffncalc[chart]'` brings it; .svg needs nothing."
        )
    if not path.parent.is_dir():
        raise UsageError(f"--chart {path}: there is no folder {path.parent}")


def save(entries: Sequence[Entry[Costed]], path: Path) -> None:
    """Draw all results into one file: bands for one model, the share of the FFN for several.

    Raises:
        UsageError: there is nothing to draw, or the file cannot be written.
    """
    good = [entry for entry in entries if entry.error is None]
    if not good:
        raise UsageError(f"--chart {path}: no model to draw")
    found = [curves(entry, *ends(good), POINTS) for entry in good]
    try:
        if path.suffix.lower() == ".svg":
            from ffncalc.report import svg

            path.write_text(svg.bands(found[0]) if len(found) == 1 else svg.overlay(found), encoding="utf-8")
        else:
            from ffncalc.report import png

            png.bands(found[0], path) if len(found) == 1 else png.overlay(found, path)
    except OSError as error:
        raise UsageError(f"--chart {path}: cannot be written: {error.strerror or error}") from error
