"""ffncalc moe."""

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


def moe(
    refs: Refs = None,
    explain: Explain = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """Experts: how many, how wide, how many one token uses, and the pool against a dense layer."""
    from ffncalc.report.moe import REPORT, Card

    check_format(fmt, {"--explain": explain})

    def card(model: Model) -> Card:
        return Card(moe=ffncalc.moe(model), explain=explain)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, card), fmt)
