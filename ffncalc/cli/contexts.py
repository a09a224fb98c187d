"""Contexts as people type them: single ones, and ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ffncalc.errors import UsageError
from ffncalc.quantity import parse

MOST = 10_000  # contexts of one range


def contexts(texts: Iterable[str] | None, steps: int | None) -> tuple[int, ...] | None:
    """All contexts named, sorted, each once; None where none is.

    `1k..1M` doubles from its start, and its end is always there; with `steps` it has so many contexts, evenly
    spaced on a logarithmic scale.

    Raises:
        UsageError: what is no length or range, or `steps` without a range.
    """
    wanted = list(texts or ())
    if steps is not None and not any(".." in text for text in wanted):
        raise UsageError("--steps needs a range", "For example --ctx 1k..1M --steps 40")
    if steps is not None and not 2 <= steps <= MOST:
        raise UsageError(f"--steps must be between 2 and {MOST:,}, got {steps}")
    found = {number for text in wanted for number in _numbers(text, steps)}
    return tuple(sorted(found)) or None


def length(text: str | None, option: str) -> int | None:
    """One length, at least 1; None for none.

    Raises:
        UsageError: it is none.
    """
    if text is None:
        return None
    number = parse(text)
    if number < 1:
        raise UsageError(f"{option} must be at least 1, got {text}")
    return number


def _numbers(text: str, steps: int | None) -> Iterator[int]:
    first, dots, last = text.partition("..")
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
