"""ffncalc width."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ffncalc import quantity
from ffncalc.cli.contexts import length
from ffncalc.cli.loading import Analyse, Loading, collect, collect_raw
from ffncalc.cli.options import Offline, Output, Refresh, Revision, Set
from ffncalc.cli.output import emit, screen, write
from ffncalc.cli.usage import given_for
from ffncalc.errors import UsageError
from ffncalc.ir import Model
from ffncalc.report import Format

if TYPE_CHECKING:
    from ffncalc.analysis.width import Chain
    from ffncalc.report.width import Found

FORWARD, INVERSE = "From the width of a model", "To meet a target"

What = Annotated[
    list[str] | None,
    typer.Argument(metavar="WIDTH|REF", help="The width of a model (4096), or a model.", show_default=False),
]
Backwards = Annotated[bool, typer.Option("--explain", help="Find the recipes that give the model's FFN width.")]
Gated = Annotated[
    bool | None,
    typer.Option("--gated/--ungated", help="Three matrices or two.", show_default="gated", rich_help_panel=FORWARD),
]
Ratio = Annotated[
    str | None,
    typer.Option(
        metavar="R",
        help="Start from R × the width, in place of 4 × and its two thirds.",
        show_default=False,
        rich_help_panel=FORWARD,
    ),
]
Multiplier = Annotated[
    str | None,
    typer.Option(metavar="M", help="Multiply by M, as 1.3.", show_default=False, rich_help_panel=FORWARD),
]
MultipleOf = Annotated[
    str | None,
    typer.Option(
        metavar="N", help="Round up to a multiple of N; with a target, try multiples of N (128).", show_default=False
    ),
]
Params = Annotated[
    str | None,
    typer.Option(
        "--target-params", metavar="N", help="All parameters: 8B.", show_default=False, rich_help_panel=INVERSE
    ),
]
Active = Annotated[
    str | None,
    typer.Option(
        "--target-active",
        metavar="N",
        help="Parameters that one token uses: 3B.",
        show_default=False,
        rich_help_panel=INVERSE,
    ),
]
Crossover = Annotated[
    str | None,
    typer.Option(
        "--target-crossover",
        metavar="N",
        help="Context at which attention costs as much as the FFN: 32k.",
        show_default=False,
        rich_help_panel=INVERSE,
    ),
]
Share = Annotated[
    str | None,
    typer.Option(
        "--target-ffn-share",
        metavar="S@N",
        help="FFN share of the FLOPs of a decoded token at a context: 60%@8k.",
        show_default=False,
        rich_help_panel=INVERSE,
    ),
]
Vary = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="Change this field in place of the FFN width: num_hidden_layers, num_experts, ….",
        show_default=False,
        rich_help_panel=INVERSE,
    ),
]


def width(
    what: What = None,
    explain: Backwards = False,
    gated: Gated = None,
    ratio: Ratio = None,
    multiplier: Multiplier = None,
    multiple_of: MultipleOf = None,
    target_params: Params = None,
    target_active: Active = None,
    target_crossover: Crossover = None,
    target_ffn_share: Share = None,
    vary: Vary = None,
    fmt: Output = Format.TABLE,
    sets: Set = None,
    revision: Revision = None,
    refresh: Refresh = False,
    offline: Offline = False,
) -> None:
    """FFN width from model width, the recipes of a model's width, or the width that meets a target."""
    from ffncalc.report import width as report

    targets = {
        "params": target_params,
        "active": target_active,
        "crossover": target_crossover,
        "ffn_share": target_ffn_share,
    }
    asked = {name: text for name, text in targets.items() if text is not None}
    multiple = length(multiple_of, "--multiple-of")
    forward = {"--gated/--ungated": gated, "--ratio": ratio, "--multiplier": multiplier}
    if numbers := [text for text in what or () if quantity.LIKE_A_NUMBER.fullmatch(text.strip())]:
        goals: dict[str, object] = {f"--target-{name.replace('_', '-')}": text for name, text in asked.items()}
        others = {"--explain": explain or None, "--vary": vary, "--set": sets, "--revision": revision}
        _refuse(goals | others, "goes with a model, not with a width")
        if what != numbers or len(numbers) > 1:
            raise UsageError("one width at a time", "For example: ffncalc width 4096 --multiple-of 256")
        found = _chain(numbers[0], gated=gated is not False, ratio=ratio, multiplier=multiplier, multiple=multiple or 1)
        write(report.text(found, fmt, screen(sys.stdout)))
        return
    _refuse(forward, "goes with a width, as in `ffncalc width 4096 --gated`")
    loading = Loading(revision=revision, refresh=refresh, offline=offline, sets=tuple(sets or ()))
    if asked:
        emit(report.REPORT, collect_raw(what, loading, _solver(asked, vary, multiple)), fmt)
        return
    _refuse({"--vary": vary, "--multiple-of": multiple}, "goes with a width or a target, as --target-params 8B")
    from ffncalc.analysis.width import origins

    def explained(model: Model) -> report.Found:
        return origins(model)

    emit(report.REPORT, collect(what, loading, explained), fmt)


def _chain(text: str, *, gated: bool, ratio: str | None, multiplier: str | None, multiple: int) -> Chain:
    """The way from the width that was typed to that of the FFN."""
    from ffncalc.analysis.width import width as chain

    wide = length(text, "the width")
    assert wide is not None
    return chain(wide, gated=gated, ratio=ratio, multiplier=multiplier, multiple_of=multiple)


def _solver(asked: Mapping[str, str], vary: str | None, multiple: int | None) -> Analyse[Found]:
    """The analysis that answers an inverse question."""
    from ffncalc.inverse import solve, target

    if len(asked) > 1:
        raise UsageError("one target at a time", "Two targets would need two fields to vary.")
    ((name, text),) = asked.items()
    with given_for(f"--target-{name.replace('_', '-')}"):
        goal = target(name, text)

    def answer(raw: Mapping[str, Any], model: Model) -> Found:
        return solve(raw, goal, vary=vary, multiple_of=multiple)

    return answer


def _refuse(options: Mapping[str, object], why: str) -> None:
    given: Sequence[str] = [name for name, value in options.items() if value is not None and value != []]
    if given:
        raise UsageError(f"{given[0]} {why}")
