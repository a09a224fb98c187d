"""What a folder without any model config holds instead: an adapter, a diffusers pipeline, GGUF files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ffncalc.checks.discovery import SKIPPED
from ffncalc.errors import FfncalcError, FileError, NotFound
from ffncalc.source import folder, reading


def instead(path: str) -> FfncalcError:
    """What to say of a folder or a pattern with nothing to check: what is found at the first place that tells it."""
    errors = (_error(found, names) for found, names in _folders(os.path.expanduser(path)))
    nothing = NotFound(f"no model config in {path}", "A gate that checks nothing does not pass.")
    return next((error for error in errors if isinstance(error, FileError)), nothing)


def _folders(path: str) -> Iterator[tuple[str, list[str]]]:
    """A folder and those below it that `check` looks into, each with its files."""
    for found, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if name not in SKIPPED and not name.startswith("."))
        yield found, sorted(names)


def _error(where: str, names: list[str]) -> FfncalcError:
    def read(name: str) -> bytes:
        path = Path(where, name)
        if not path.is_file():  # nobody may ever write to a pipe
            raise FileError(f"{path}: is no file")
        with path.open("rb") as stream:
            return reading.read(stream)

    try:
        return folder.nothing(names, read, where, "")
    except FileError as error:
        return error
    except OSError as error:
        return FileError(f"{where}: cannot be read ({error.strerror})")
