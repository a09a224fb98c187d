"""ffncalc flops."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import ffncalc
from ffncalc.analysis.flops import Mla, Phase
from ffncalc.cli.contexts import contexts, length
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.options import Ctx, EncoderCtx, Explain, Offline, Output, Refresh, Refs, Revision, Set, Steps
from ffncalc.cli.output import emit, note, screen, write
from ffncalc.cli.usage import check_format
from ffncalc.ir import Model
from ffncalc.report import Format

Phased = Annotated[
    Phase, typer.Option("--phase", help="One decoded token, the mean of a prompt, or 3 × that (backward pass).")
]
Latent = Annotated[Mla, typer.Option("--mla", help="Latent attention as published, or as inference engines run it.")]
Full = Annotated[bool, typer.Option("--full", help="Count all keys in every layer, as a profiler does.")]
Chart = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the shares into FILE.svg or FILE.png; several models overlay."),
]


def flops(
    refs: Refs = None,
    ctx: Ctx = None,
    steps: Steps = None,
    phase: Phased = Phase.DECODE,
    mla: Latent = Mla.MATERIALIZED,
    full: Full = False,
    encoder_ctx: EncoderCtx = None,
    explain: Explain = False,
    chart: Chart = None,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """FLOPs per token by category and the share of the FFN, at any context."""
    from ffncalc.report.flops import REPORT, Costed

    check_format(fmt, {"--explain": explain})

    wanted = contexts(ctx, steps)
    source = length(encoder_ctx, "--encoder-ctx")
    if chart is not None:
        from ffncalc.report.picture import check, save

        check(chart)

    def costed(model: Model) -> Costed:
        found = ffncalc.flops(model, ctx=wanted, phase=phase, mla=mla, full=full, encoder_ctx=source)
        return Costed(flops=found, explain=explain)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    entries = collect(refs, loading, costed)
    if chart is not None:
        save(entries, chart)
        note(f"chart written to {chart}")
    try:
        emit(REPORT, entries, fmt)
    finally:
        shown = screen(sys.stdout)
        if fmt is Format.TABLE and shown.terminal:
            from ffncalc.report.chart import page

            write(page(entries, shown))
