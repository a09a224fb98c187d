"""ffncalc rule."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc.cli.options import Output
from ffncalc.cli.output import screen, write
from ffncalc.errors import UsageError, nearest
from ffncalc.report import Format

Code = Annotated[str, typer.Argument(metavar="CODE", help="A code (S002) or a name (kv-heads-do-not-divide).")]


def rule(code: Code, fmt: Output = Format.TABLE) -> None:
    """What a rule of `check` finds and why, with a bad and a good example."""
    import sys

    from ffncalc.checks import RULES, name_of
    from ffncalc.checks.doc import doc
    from ffncalc.report.rules import page

    names = {name_of(each): each for each in RULES} | {each.casefold(): each for each in RULES}
    found = names.get(code.casefold())
    if found is None:
        near = nearest(code.upper(), RULES) or nearest(code, names)
        raise UsageError(
            f"no rule is called {code!r}",
            f"Did you mean {near[0]}?" if near else "`ffncalc rules` lists them.",
        )
    write(page([doc(found)], fmt, screen(sys.stdout)))
