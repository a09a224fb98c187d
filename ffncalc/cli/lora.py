"""ffncalc lora."""

from __future__ import annotations

from typing import Annotated

import typer

import ffncalc
from ffncalc.cli.contexts import length
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.options import Explain, Offline, Output, Refresh, Refs, Revision, Set
from ffncalc.cli.output import emit
from ffncalc.cli.usage import check_format
from ffncalc.fields import LARGEST
from ffncalc.ir import Model
from ffncalc.report import Format

Rank = Annotated[str, typer.Option("--rank", "-r", metavar="R", help="Rank of every adapter.")]
Target = Annotated[
    str,
    typer.Option("--target", metavar="NAMES", help="ffn, attention, all, or names as PEFT takes them: q_proj,v_proj."),
]
WithExperts = Annotated[
    bool, typer.Option("--experts/--no-experts", help="Adapt the routed experts too, each with its own.")
]


def lora(
    refs: Refs = None,
    rank: Rank = "16",
    target: Target = "all",
    experts: WithExperts = False,
    explain: Explain = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """Trainable parameters of low-rank adapters, by category and layer, with the names for PEFT."""
    from ffncalc.report.lora import REPORT, Adapters

    check_format(fmt, {"--explain": explain})

    wanted = length(rank, "--rank", LARGEST)
    assert wanted is not None

    def adapters(model: Model) -> Adapters:
        return Adapters(lora=ffncalc.lora(model, rank=wanted, target=target, experts=experts), explain=explain)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, adapters), fmt)
