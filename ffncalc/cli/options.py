"""Arguments and options that commands share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from ffncalc.errors import UsageError
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


@dataclass(frozen=True, kw_only=True)
class Loading:
    """How references are read, and what is changed in them."""

    revision: str | None = None
    refresh: bool = False
    offline: bool = False
    sets: tuple[str, ...] = ()


@contextmanager
def given_for(option: str) -> Iterator[None]:
    """Put the name of an option in front of what is wrong with its value."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{option}: {error.message}", error.hint) from None


def check_format(fmt: Format, asked: Mapping[str, bool]) -> None:
    """Refuse what was asked for where the format has no place for it: rows of a spreadsheet hold no derivations.

    Raises:
        UsageError: naming the option.
    """
    if fmt is Format.CSV and (option := next((name for name, given in asked.items() if given), "")):
        raise UsageError(f"--format csv has no place for {option}", "table, markdown, json and jsonl have one.")
