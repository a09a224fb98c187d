"""ffncalc crossover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ffncalc
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.output import emit
from ffncalc.cli.usage import check_format
from ffncalc.ir import Model
from ffncalc.report import Format

if TYPE_CHECKING:
    from ffncalc.cli.options import Explain, Offline, Output, Refresh, Refs, Revision, Set


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
