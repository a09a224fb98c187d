"""ffncalc rules."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc.cli.options import Output
from ffncalc.cli.output import screen, write
from ffncalc.errors import NotFound
from ffncalc.report import Format

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORD", help="Only rules whose code, name or group holds all these words.", show_default=False
    ),
]


def rules(words: Words = None, fmt: Output = Format.TABLE) -> None:
    """Rules of `check`, with their codes and severities."""
    import re
    import sys

    from ffncalc.checks.doc import docs
    from ffncalc.report.rules import table

    wanted = [word.casefold() for word in words or ()]
    texts = {each: f"{each.code} {each.name} {re.split('[:,]', each.group)[0]}".casefold() for each in docs()}
    found = [each for each, text in texts.items() if all(word in text for word in wanted)]
    if not found:
        raise NotFound(f"no rule is called {' '.join(words or ())}", "`ffncalc rules` lists them all.")
    write(table(found, fmt, screen(sys.stdout)))
