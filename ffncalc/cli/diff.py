"""ffncalc diff."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ffncalc import api, source
from ffncalc.cli.contexts import contexts
from ffncalc.cli.options import Ctx, Offline, Refresh, Steps
from ffncalc.cli.output import Ended, screen, write
from ffncalc.errors import FfncalcError, UsageError
from ffncalc.report.diff import DiffFormat
from ffncalc.source.reference import STDIN, located

Old = Annotated[str, typer.Argument(metavar="OLD", help="The config before: file, Hub id, address, REV:PATH in git.")]
New = Annotated[str, typer.Argument(metavar="NEW", help="The config after, written alike; - is standard input.")]
Shape = Annotated[DiffFormat, typer.Option("--format", "-f", help="How to print the result.")]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if a number moved.")]


def diff(
    old: Old,
    new: New,
    ctx: Ctx = None,
    steps: Steps = None,
    fmt: Shape = DiffFormat.TABLE,
    exit_code: ExitCode = False,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """Fields that changed between two configs, and what they do to every number."""
    from ffncalc.analysis.diff import USUAL
    from ffncalc.analysis.diff import diff as compare
    from ffncalc.report.diff import text

    if old in STDIN and new in STDIN:
        raise UsageError("standard input can be only one of the two")
    wanted = contexts(ctx, steps) or USUAL
    before, after = (_loaded(ref, refresh=refresh, offline=offline) for ref in (old, new))
    found = compare(before, after, ctx=wanted)
    write(text(found, fmt, screen(sys.stdout)))
    if exit_code and found.moved:
        raise Ended(1)


def _loaded(ref: str, *, refresh: bool, offline: bool) -> source.Loaded:
    """A config that can be counted; an error says which of the two it is about."""
    try:
        loaded = source.load(ref, refresh=refresh, offline=offline)
        api.describe(loaded)
    except FfncalcError as error:
        raise located(error, ref) from None
    return loaded
