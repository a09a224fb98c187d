"""A bar on stderr while many files are worked on; nothing where stderr is no terminal, or one of a CI."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from ffncalc.cli.output import screen

PATIENCE = 0.7  # seconds before a bar is worth drawing
PERIOD = 0.1  # seconds between two drawings
WIDTH = 30


class Progress:
    """`━━━━────  3,200 of 10,000 files`, without the bar where the terminal is narrow.

    `count` tells how many there are; it is asked when the bar first shows. `wanted`: there is somebody to look at it.
    """

    def __init__(self, count: Callable[[], int], *, wanted: bool = True) -> None:
        self.count, self.total, self.done = count, 0, 0
        self.drawing = wanted and _watched()
        self.drawn = time.monotonic() + PATIENCE
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def step(self, count: int) -> None:
        """So many more are done."""
        self.done += count
        now = time.monotonic()
        if self.drawing and now >= self.drawn:
            self.drawn = now + PERIOD
            self._draw()

    def clear(self) -> None:
        """Take the bar away, so that something else can be printed."""
        if self.shown:
            self._print("\r\x1b[K")
            self.shown = False

    def _draw(self) -> None:
        self.total = self.total or max(1, self.count())
        filled = min(WIDTH, WIDTH * self.done // self.total)
        full, empty = ("#", "-") if screen(sys.stderr).ascii else ("━", "─")
        bar = f"{full * filled}{empty * (WIDTH - filled)}  "
        text = f"{self.done:,} of {max(self.total, self.done):,} files"
        columns = _columns()
        if len(text) < columns:
            self._print(f"\r\x1b[K{bar if len(bar + text) < columns else ''}{text}")
            self.shown = True

    def _print(self, text: str) -> None:
        with suppress(OSError):
            print(text, end="", file=sys.stderr, flush=True)


def _watched() -> bool:
    """Whether stderr is a terminal on which a line can be taken back."""
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    return os.environ.get("TERM") != "dumb" and os.environ.get("CI", "").lower() in ("", "0", "false")


def _columns() -> int:
    """How wide the terminal is now; 80 where it does not say."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80
