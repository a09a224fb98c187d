"""ffncalc crossover."""

from __future__ import annotations

import ffncalc
from ffncalc.cli.loading import collect
from ffncalc.cli.options import Explain, Loading, Offline, Output, Refresh, Refs, Revision, Set, check_format
from ffncalc.cli.output import emit
from ffncalc.ir import Model
from ffncalc.report import Format


def crossover(
    refs: Refs = None,
    explain: Explain = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """The context from which attention costs more than the FFN, and which layers decide it."""
    from ffncalc.report.crossover import REPORT, Crossed

    check_format(fmt, {"--explain": explain})

    def crossed(model: Model) -> Crossed:
        return Crossed(crossover=ffncalc.crossover(model), explain=explain)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, crossed), fmt)
