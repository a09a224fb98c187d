"""Contexts as people type them: single ones, and ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ffncalc.cli.usage import given_for
from ffncalc.errors import UsageError
from ffncalc.quantity import parse

MOST = 10_000  # contexts of one range
LONGEST = 10**18  # as long as a length may be


def contexts(texts: Iterable[str] | None, steps: str | None) -> tuple[int, ...] | None:
    """All contexts named, sorted, each once; None where none is.

    `1k..1M` doubles from its start, and its end is always there; with `steps` it has so many contexts, evenly
    spaced on a logarithmic scale.

    Raises:
        UsageError: what is no length or range, or `steps` without a range.
    """
    wanted = list(texts or ())
    if steps is not None and not any(".." in text for text in wanted):
        raise UsageError("--steps needs a range", "For example --ctx 1k..1M --steps 40")
    count = None if steps is None else number(steps, "--steps")
    if count is not None and not 2 <= count <= MOST:
        raise UsageError(f"--steps must be between 2 and {MOST:,}, got {steps}")
    found = {n for text in wanted for n in _numbers(text, count)}
    return tuple(sorted(found)) or None


def length(text: str | None, option: str, most: int = LONGEST) -> int | None:
    """One length, from 1 to `most`; None for none.

    Raises:
        UsageError: it is none.
    """
    if text is None:
        return None
    found = number(text, option)
    if found < 1:
        raise UsageError(f"{option} must be at least 1, got {text}")
    if found > most:
        raise UsageError(f"{option} must be at most {most:,}, got {text}")
    return found


def number(text: str, option: str) -> int:
    """The whole number that was given for an option.

    Raises:
        UsageError: it is none.
    """
    with given_for(option):
        return parse(text)


def _numbers(text: str, steps: int | None) -> Iterator[int]:
    first, dots, last = text.partition("..")
    if dots and not (first and last):
        raise UsageError(f"--ctx {text}: a range has two ends", "For example --ctx 1k..1M")
    start = length(first, "--ctx")
    end = length(last, "--ctx") if dots else start
    assert start is not None
    assert end is not None
    if end < start:
        raise UsageError(f"--ctx {text}: the range ends before it starts")
    if not dots:
        yield start
    elif steps is None:
        while start < end:
            yield start
            start *= 2
        yield end
    else:
        yield start
        yield from (round(start * (end / start) ** (i / (steps - 1))) for i in range(1, steps - 1))
        yield end
