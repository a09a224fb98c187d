"""All commands under one program."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated

import typer

from ffncalc import __version__

NARROW = 72  # columns below which the boxes of --help would cut the names of options short
COUNT, COST, FFN = "Count", "Cost", "The FFN"  # the panels of --help
CHECK, REFERENCE = "Check", "Reference"

ABOUT = "Exact parameters, FLOPs and bytes of any Transformer from its config.json, and what share is the FFN."
EPILOG = (
    "REF is a Hub id (org/name, org/name@revision), a Hub address, a file, a folder, or - for standard input. "
    "Without one, $FFNCALC_MODEL counts, else meta-llama/Llama-3.1-8B."
)


@dataclass(frozen=True)
class Command:
    """A command: the function of its own name in the module of its own name.

    `refs`: it takes a list of references first, at least so many; None: it takes something else.
    """

    panel: str
    example: str
    refs: int | None = None


COMMANDS = {
    "params": Command(COUNT, "ffncalc params mistralai/Mixtral-8x7B-v0.1 --layers", refs=0),
    "compare": Command(COUNT, "ffncalc compare google/gemma-2-9b meta-llama/Llama-3.1-8B", refs=1),
    "flops": Command(COST, "ffncalc flops --ctx 128000"),
    "crossover": Command(COST, "ffncalc crossover deepseek-ai/DeepSeek-V3", refs=0),
    "memory": Command(COST, "ffncalc memory openai/gpt-oss-20b --ctx 32Ki --batch 8"),
    "ffn": Command(FFN, "ffncalc ffn google/gemma-2-9b --worked", refs=0),
    "width": Command(FFN, "ffncalc width 4096 --multiplier 1.3 --multiple-of 1024"),
    "lora": Command(FFN, "ffncalc lora --rank 16 --target ffn"),
    "moe": Command(FFN, "ffncalc moe deepseek-ai/DeepSeek-V3", refs=0),
    "lock": Command(CHECK, "ffncalc lock configs"),
    "diff": Command(CHECK, "ffncalc diff HEAD:config.json config.json --format markdown"),
    "check": Command(CHECK, "ffncalc check google/gemma-2-9b"),
    "parallel": Command(CHECK, "ffncalc parallel deepseek-ai/DeepSeek-V3"),
    "rules": Command(CHECK, "ffncalc rules kv"),
    "rule": Command(CHECK, "ffncalc rule S002"),
    "models": Command(REFERENCE, "ffncalc models llama"),
    "archs": Command(REFERENCE, "ffncalc archs --format markdown"),
}


def plain(args: Sequence[str]) -> Callable[[list[str] | None], None] | None:
    """The command of a line that holds nothing but its name and references; None for any other line.

    There is nothing to parse in it, and a parser costs more start-up time than reading and counting together.
    """
    name, *refs = args
    if name not in COMMANDS or any(ref.startswith("-") and ref != "-" for ref in refs):
        return None
    least = COMMANDS[name].refs
    return _function(name) if least is not None and len(refs) >= least else None


def _function(name: str) -> Callable[..., None]:
    found: Callable[..., None] = getattr(import_module(f"ffncalc.cli.{name}"), name)
    return found


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
        function = _function(name)
        short = f"{function.__doc__}\n[dim]{command.example}[/dim]" if boxes else function.__doc__
        example = f"Example: {command.example}"
        app.command(name, rich_help_panel=command.panel, short_help=short, epilog=example)(function)
    return app


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


def usage_problem(error: Exception) -> tuple[str, str] | None:
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
