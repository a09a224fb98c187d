"""ffncalc compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ffncalc
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.output import emit
from ffncalc.report import Format

if TYPE_CHECKING:
    from ffncalc.cli.options import ManyRefs, Offline, Output, Refresh, Reverse, Revision, Set, Sort


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
