"""ffncalc archs."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc.cli.options import Output
from ffncalc.cli.output import screen, write
from ffncalc.errors import NotFound
from ffncalc.report import Format

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="WORD", help="Only types whose name holds all these words.", show_default=False),
]


def archs(words: Words = None, fmt: Output = Format.TABLE) -> None:
    """Supported model types, and the bundled configs of each."""
    import sys

    from ffncalc.analysis.archs import archs as list_archs
    from ffncalc.report.archs import text

    wanted = [word.casefold() for word in words or ()]
    found = [arch for arch in list_archs() if all(word in arch.model_type.casefold() for word in wanted)]
    if not found:
        raise NotFound(f"no supported model type is called {' '.join(words or ())}", "`ffncalc archs` lists them all.")
    write(text(found, fmt, screen(sys.stdout)))
