"""ffncalc models."""

from __future__ import annotations

from typing import Annotated

import typer

import ffncalc
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.options import Output
from ffncalc.cli.output import emit
from ffncalc.errors import NotFound
from ffncalc.report import Format
from ffncalc.source import bundled

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="WORD", help="Only models whose name holds all these words.", show_default=False),
]


def models(words: Words = None, fmt: Output = Format.TABLE) -> None:
    """Configs that come with ffncalc, with their totals."""
    from ffncalc.report.models import REPORT

    wanted = [word.casefold() for word in words or ()]
    names = [name for name, _ in bundled.entries() if all(word in name.casefold() for word in wanted)]
    if not names:
        raise NotFound(f"no bundled config is called {' '.join(words or ())}", "`ffncalc models` lists them all.")
    emit(REPORT, collect(names, Loading(), ffncalc.summary), fmt)
