"""One at a time: runs that write the same lock file take turns.

What is waited for is a lock of the system's on the open folder, which ends with the process that holds it; so no run
that was killed is in the way of others. Windows opens no folders: a file among its temporary ones stands in.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ffncalc.checks.lock_file import LockError, shown

PATIENCE = 30.0  # seconds; a turn takes a fraction of one
PERIOD = 0.02


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait until no other run is between reading and writing the lock file at `path`, and keep others waiting.

    Where the file system has no such locks, nobody waits.

    Raises:
        LockError: another run does not come to its end.
    """
    try:
        handle = _open(Path(os.path.realpath(path)))
    except OSError:  # whoever cannot read the folder cannot write the file either, and is told so
        yield
        return
    try:
        end = time.monotonic() + PATIENCE
        while not _taken(handle):
            if time.monotonic() > end:
                message = f"{shown(path)}: another run of `ffncalc lock` holds it for more than {PATIENCE:g} s"
                raise LockError(message, "Run it again when that one has ended.")
            time.sleep(PERIOD)
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import hashlib
    import msvcrt
    import tempfile

    def _open(path: Path) -> int:
        name = hashlib.sha256(os.path.normcase(path).encode()).hexdigest()[:32]
        return os.open(Path(tempfile.gettempdir(), f"ffncalc-{name}"), os.O_RDWR | os.O_CREAT)

    def _taken(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _open(path: Path) -> int:
        return os.open(path.parent, os.O_RDONLY)

    def _taken(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # no locks here
        return True
