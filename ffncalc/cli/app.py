"""All commands under one program."""

from __future__ import annotations

from typing import Annotated

import typer

from ffncalc import __version__
from ffncalc.cli import archs, compare, models, panels, params

app = typer.Typer(
    name="ffncalc",
    help="Exact parameters of any Transformer from its config.json: how many, where they are, what share is the FFN.",
    epilog="REF is a Hub id (org/name, org/name@revision), a Hub address, a file, a folder, or - for standard input. "
    "Without one, $FFNCALC_MODEL counts, else meta-llama/Llama-3.1-8B.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ffncalc {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""


for panel, example, command in (
    (panels.COUNT, "ffncalc params mistralai/Mixtral-8x7B-v0.1 --layers", params.params),
    (panels.COUNT, "ffncalc compare meta-llama/Llama-3.1-8B google/gemma-2-9b --sort active", compare.compare),
    (panels.REFERENCE, "ffncalc models llama", models.models),
    (panels.REFERENCE, "ffncalc archs", archs.archs),
):
    app.command(rich_help_panel=panel, epilog=f"Example: {example}")(command)

# The base of what the parser raises for wrong usage; it has no public name in all versions of Typer.
PROBLEM = next(base for base in reversed(typer.BadParameter.__mro__) if hasattr(base, "exit_code"))


def usage_problem(error: Exception) -> tuple[str, str] | None:
    """Message and hint of an error that the parser raised; None for any other."""
    if isinstance(error, typer.Abort):
        return "aborted", ""
    if not isinstance(error, PROBLEM):
        return None
    message = str(getattr(error, "format_message", error.__str__)())
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", None) or "ffncalc"
    return message.rstrip("."), f"`{path} --help` shows what it takes."
