"""Processes that check files for this one, and end with it however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any, Protocol


class Submit(Protocol):
    """Has a process call a function."""

    def __call__(self, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """The result is in the future."""


@contextmanager
def pool(count: int) -> Iterator[Submit]:
    """So many processes; what they have not begun when an exception comes is left."""

    def submit(function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        with _uninterrupted():  # the first call starts the processes
            return executor.submit(function, *args)

    executor = ProcessPoolExecutor(count, initializer=_prepare)
    try:
        yield submit
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes that are started here do not get Ctrl-C, which is for their parent."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare() -> None:
    """What a process does first. Its standard output is let go, so that who reads a pipe sees the end of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
