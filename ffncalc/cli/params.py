"""ffncalc params."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ffncalc
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.output import emit
from ffncalc.cli.usage import check_format
from ffncalc.ir import Model
from ffncalc.report import Format

if TYPE_CHECKING:
    from ffncalc.cli.options import Explain, Layers, Offline, Output, Refresh, Refs, Revision, Set, Tensors


def params(
    refs: Refs = None,
    layers: Layers = False,
    tensors: Tensors = False,
    explain: Explain = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """Parameters by category, the share of the FFN, and what one token uses."""
    from ffncalc.report.params import REPORT, Counted

    check_format(fmt, {"--explain": explain, "--layers beside --tensors": layers and tensors})

    def count(model: Model) -> Counted:
        return Counted(
            params=ffncalc.params(model),
            layers=ffncalc.layers(model) if layers else None,
            tensors=ffncalc.tensors(model) if tensors else None,
            explanation=ffncalc.explain(model) if explain else None,
        )

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, count), fmt)
