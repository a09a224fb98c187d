"""The parser of the command line, made from the commands."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, get_type_hints

import typer

from ffncalc import __version__
from ffncalc.cli import options, output
from ffncalc.cli.commands import COMMANDS, function

NARROW = 72  # columns below which the boxes of --help would cut the names of options short

ABOUT = "Exact parameters, FLOPs and bytes of any Transformer from its config.json, and what share is the FFN."
EPILOG = (
    "REF is a Hub id (org/name, org/name@revision), a Hub address, a file, a folder, or - for standard input. "
    "Without one, $FFNCALC_MODEL counts, else meta-llama/Llama-3.1-8B."
)


def program(args: Sequence[str] | None = None) -> typer.Typer:
    """The program; of all its commands only the one that `args` starts with, where they name one."""
    named = [args[0]] if args and args[0] in COMMANDS else COMMANDS
    return _program(named)


def _program(names: Iterable[str]) -> typer.Typer:
    boxes = shutil.get_terminal_size().columns >= NARROW
    app = typer.Typer(
        name="ffncalc",
        help=ABOUT,
        epilog=EPILOG,
        rich_markup_mode="rich" if boxes else None,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for name in names:
        command = COMMANDS[name]
        run = _with_options(function(name))
        short = f"{run.__doc__}\n[dim]{command.example}[/dim]" if boxes else run.__doc__
        example = f"Example: {command.example}"
        app.command(name, rich_help_panel=command.panel, short_help=short, epilog=example)(run)
    return app


def _with_options(run: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that its annotations name; it need not import those of `options`."""
    run.__annotations__ = get_type_hints(run, vars(options) | run.__globals__, include_extras=True)
    return run


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ffncalc {__version__}")
        raise typer.Exit


def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""


# The base of what the parser raises for wrong usage; it has no public name in all versions of Typer.
PROBLEM = next(base for base in reversed(typer.BadParameter.__mro__) if hasattr(base, "exit_code"))


# What some versions of the parser say in the words of the library that checks values for them.
WORDING = (
    (r"Value error, ", ""),
    (r"Input should be a valid integer.*", "it must be a whole number"),
    (r"Input should be ", "it must be "),
)


def run(args: Sequence[str], name: str) -> int:
    """Parse a line, run its command, and give the exit code; `name` is what the program was called by."""
    try:
        code = program(args)(args, prog_name=name, standalone_mode=False)
    except typer.Exit as done:
        return done.exit_code
    except SystemExit as done:  # so the parser ends, with 1, when nobody reads
        if isinstance(done.__context__, BrokenPipeError):
            raise done.__context__ from None
        raise
    except Exception as error:
        if isinstance(error, OSError) and (lost := output.undelivered(error)):
            raise lost from error
        problem = _usage_problem(error)
        if problem is None:
            raise
        output.complain(*problem)
        return 2
    return code if isinstance(code, int) else 0


def _usage_problem(error: Exception) -> tuple[str, str] | None:
    """Message and hint of an error that the parser raised; None for any other."""
    if isinstance(error, typer.Abort):
        return "aborted", ""
    if not isinstance(error, PROBLEM):
        return None
    message = str(getattr(error, "format_message", error.__str__)())
    for pattern, plainer in WORDING:
        message = re.sub(pattern, plainer, message)
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", None) or "ffncalc"
    return message.rstrip("."), f"`{path} --help` shows what it takes."
