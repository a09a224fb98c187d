"""Arguments and options: those that commands share, and all of the commands that run without a parser."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc.report import Format

SOURCE_PANEL = "Where the config comes from"

Refs = Annotated[
    list[str] | None,
    typer.Argument(metavar="REF", help="Hub id, address, file, folder, or - for standard input.", show_default=False),
]
ManyRefs = Annotated[
    list[str], typer.Argument(metavar="REF", help="Hub id, address, file, folder, or - for standard input.")
]
Output = Annotated[Format, typer.Option("--format", "-f", help="How to print the result.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a config field first (repeatable; a.b for nested ones) and show the difference.",
        show_default=False,
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Add the derivation of every number.")]
Ctx = Annotated[
    list[str] | None,
    typer.Option(
        metavar="N",
        help="Context: 128000, 128k, 128Ki, or a range 1k..1M that doubles. Repeatable. "
        "Without it: 1, 1Ki, 8Ki, 32Ki, 128Ki and the model's maximum.",
        show_default=False,
    ),
]
Steps = Annotated[
    str | None,
    typer.Option(metavar="N", help="Contexts in each range, evenly spaced on a log scale.", show_default=False),
]
EncoderCtx = Annotated[
    str | None,
    typer.Option(metavar="N", help="Source tokens of an encoder–decoder; as many as the context.", show_default=False),
]
Revision = Annotated[
    str | None,
    typer.Option(
        metavar="REV", help="Branch, tag or commit on the Hub.", rich_help_panel=SOURCE_PANEL, show_default=False
    ),
]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Ask the Hub even if a bundled config exists.", rich_help_panel=SOURCE_PANEL)
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Use bundled and cached configs only.", rich_help_panel=SOURCE_PANEL)
]

# params
Layers = Annotated[bool, typer.Option("--layers", help="Add the kinds of layers, with their parameters.")]
Tensors = Annotated[bool, typer.Option("--tensors", help="Add every tensor, with shape and role.")]

# compare
Sort = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Order by this column, as --format csv calls it.", show_default=False),
]
Reverse = Annotated[bool, typer.Option("--reverse", "-r", help="Largest first; without --sort, the last model first.")]

# ffn
WorkedExample = Annotated[
    bool, typer.Option("--worked", help="Work the FFN through on numbers small enough to follow by hand.")
]
Act = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Work it with another activation: relu, gelu_tanh, … or a form: swiglu, glu, bilinear.",
        show_default=False,
    ),
]
Gated = Annotated[
    bool | None, typer.Option("--gated/--ungated", help="Work it with a gate, or without.", show_default=False)
]
