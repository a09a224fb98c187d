"""ffncalc memory."""

from __future__ import annotations

from typing import Annotated

import typer

import ffncalc
from ffncalc.analysis.formats import dtype as dtype_named
from ffncalc.cli.contexts import contexts, length
from ffncalc.cli.loading import Loading, collect
from ffncalc.cli.options import Ctx, EncoderCtx, Explain, Offline, Output, Refresh, Refs, Revision, Set, Steps
from ffncalc.cli.output import emit
from ffncalc.cli.usage import check_format, given_for
from ffncalc.ir import Model
from ffncalc.report import Format

Batch = Annotated[str | None, typer.Option(metavar="N", help="Sequences that are decoded together.", show_default="1")]
Dtype = Annotated[
    str | None,
    typer.Option(
        metavar="DTYPE", help="Count the weights plainly in this format: bf16, fp8, int4 …", show_default=False
    ),
]
KvDtype = Annotated[
    str | None,
    typer.Option(metavar="DTYPE", help="Format of the cache; by default as the config says.", show_default=False),
]


def memory(
    refs: Refs = None,
    ctx: Ctx = None,
    steps: Steps = None,
    batch: Batch = None,
    dtype: Dtype = None,
    kv_dtype: KvDtype = None,
    encoder_ctx: EncoderCtx = None,
    explain: Explain = False,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """Bytes of the weights, of the key–value cache, and of what one decoded step reads."""
    from ffncalc.report.memory import REPORT, Sized

    check_format(fmt, {"--explain": explain})

    for option, name in (("--dtype", dtype), ("--kv-dtype", kv_dtype)):
        with given_for(option):
            if name is not None:
                dtype_named(name)
    wanted = contexts(ctx, steps)
    source, sequences = length(encoder_ctx, "--encoder-ctx"), length(batch, "--batch") or 1

    def sized(model: Model) -> Sized:
        found = ffncalc.memory(model, ctx=wanted, batch=sequences, dtype=dtype, kv_dtype=kv_dtype, encoder_ctx=source)
        return Sized(memory=found, explain=explain)

    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    emit(REPORT, collect(refs, loading, sized), fmt)
