"""ffncalc ffn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ffncalc
from ffncalc import activations
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.output import emit
from ffncalc.cli.usage import check_format, given_for
from ffncalc.ir import Model
from ffncalc.report import Format

if TYPE_CHECKING:
    from ffncalc.cli.options import Act, Explain, Gated, Offline, Output, Refresh, Refs, Revision, Set, WorkedExample


def ffn(
    refs: Refs = None,
    worked: WorkedExample = False,
    act: Act = None,
    gated: Gated = None,
    explain: Explain = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """The FFN of each kind of layer: form, activation, matrices, width, key–value reading."""
    from ffncalc.report.ffn import REPORT, Found

    another = act is not None or gated is not None
    if act is not None:
        with given_for("--act"):
            activations.chosen(act)
    check_format(fmt, {"--explain": explain, "a worked example": worked or another})

    def card(model: Model) -> Found:
        found = ffncalc.ffn(model)
        examples = ffncalc.worked(model, activation=act, gated=gated) if worked or another else None
        return Found(card=found, worked=examples, explain=explain)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, card), fmt)
