"""ffncalc rule."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc.cli.options import Output
from ffncalc.cli.output import screen, write
from ffncalc.report import Format

Code = Annotated[str, typer.Argument(metavar="CODE", help="A code (S002) or a name (kv-heads-do-not-divide).")]


def rule(code: Code, fmt: Output = Format.TABLE) -> None:
    """What a rule of `check` finds and why, with a bad and a good example."""
    import sys

    from ffncalc.checks import library
    from ffncalc.report.rules import page

    write(page([library.rule(code)], fmt, screen(sys.stdout)))
