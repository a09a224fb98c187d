"""A bar on stderr while many files are worked on; nothing where stderr is no terminal."""

from __future__ import annotations

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
    """`━━━━────  3,200 of 10,000 files`. `count` tells how many there are; it is asked when the bar first shows."""

    def __init__(self, count: Callable[[], int]) -> None:
        self.count, self.total, self.done = count, 0, 0
        self.terminal = screen(sys.stderr).color or bool(sys.stderr and sys.stderr.isatty())
        self.drawn = time.monotonic() + PATIENCE
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        now = time.monotonic()
        if self.terminal and now >= self.drawn:
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
        bar = "━" * filled + "─" * (WIDTH - filled)
        self._print(f"\r\x1b[K{bar}  {self.done:,} of {max(self.total, self.done):,} files")
        self.shown = True

    def _print(self, text: str) -> None:
        with suppress(OSError):
            print(text, end="", file=sys.stderr, flush=True)
