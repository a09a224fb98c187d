"""ffncalc compare."""

from __future__ import annotations

from typing import Annotated

import typer

import ffncalc
from ffncalc.cli.loading import collect
from ffncalc.cli.options import Loading, ManyRefs, Offline, Output, Refresh, Revision, Set
from ffncalc.cli.output import emit
from ffncalc.report import Format

Sort = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Order by this column, as --format csv calls it.", show_default=False),
]
Reverse = Annotated[bool, typer.Option("--reverse", "-r", help="Largest first; without --sort, the last model first.")]


def compare(
    refs: ManyRefs,
    sort: Sort = None,
    reverse: Reverse = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """One row per model: width, expansion, kind of FFN, parameters, active parameters, FFN share, crossover."""
    from ffncalc.report import compare as report

    key = report.sort_key(sort)
    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    entries = collect(refs, loading, ffncalc.summary)
    emit(report.REPORT, report.ordered(entries, key, reverse=reverse), fmt)
