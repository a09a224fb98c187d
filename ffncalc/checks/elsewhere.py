"""What a folder without any model config holds instead: an adapter, a diffusers pipeline, GGUF files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ffncalc.checks.discovery import SKIPPED
from ffncalc.errors import FfncalcError, FileError
from ffncalc.source import folder, reading


def instead(paths: Iterable[str]) -> Iterator[FfncalcError]:
    """What is found of each path that is a folder, at its first place; nothing for a folder that tells nothing."""
    for path in paths:
        errors = (_error(found, names) for found, names in _folders(os.path.expanduser(path)))
        yield from next(([error] for error in errors if isinstance(error, FileError)), [])


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
