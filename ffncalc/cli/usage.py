"""What a command refuses before it computes anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ffncalc.errors import UsageError
from ffncalc.report import Format


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
