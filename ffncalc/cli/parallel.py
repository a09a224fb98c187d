"""ffncalc parallel."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.options import Offline, Output, Refresh, Refs, Revision, Set
from ffncalc.cli.output import emit
from ffncalc.ir import Model
from ffncalc.report import Format

Block = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Group or block of the quantisation, in place of the config's.", show_default=False
    ),
]


def parallel(
    refs: Refs = None,
    block: Block = None,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """Over how many devices a model splits: tensors (tp), experts (ep), layers (pp)."""
    from ffncalc.analysis.parallel import Parallel
    from ffncalc.analysis.parallel import parallel as split
    from ffncalc.report.parallel import REPORT

    def result(model: Model) -> Parallel:
        return split(model, block=block)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, result), fmt)
