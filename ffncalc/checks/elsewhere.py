"""What to say where there is no config to check: of a folder without any, and of a name that nothing has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ffncalc.checks.discovery import DEEPEST, SKIPPED
from ffncalc.errors import FfncalcError, FileError, NetworkError, NotFound, SourceError
from ffncalc.source import folder, reading, reference


def instead(path: str) -> FfncalcError:
    """What to say of a folder or a pattern with nothing to check: what is found at the first place that tells it."""
    errors = (_error(found, names) for found, names in _folders(os.path.expanduser(path)))
    nothing = NotFound(f"no model config in {path}", "A gate that checks nothing does not pass.")
    return next((error for error in errors if isinstance(error, FileError)), nothing)


def _folders(path: str) -> Iterator[tuple[str, list[str]]]:
    """A folder and those below it that `check` looks into, each with its files."""
    left = [(path, 0)] if os.path.isdir(path) else []
    while left:  # os.walk calls itself in some versions of Python, which ends at some depth
        found, depth = left.pop()
        _, inner, names = next(os.walk(found), (found, [], []))
        inner = [name for name in inner if name not in SKIPPED and not name.startswith(".")]
        if depth + 1 < DEEPEST:
            left += [(os.path.join(found, name), depth + 1) for name in sorted(inner, reverse=True)]
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


def explained(error: FfncalcError, ref: str) -> FfncalcError:
    """The error of a reference that is no file, for those who meant a file or have no network."""
    from ffncalc.source.hub_errors import NO_NETWORK

    error = reference.located(error, ref)
    if isinstance(error, NetworkError) and error.hint == NO_NETWORK:
        error.hint = "Files and bundled configs need no network; `ffncalc models` lists those."
    org, slash, _ = ref.partition("/")
    may_be_path = os.path.isdir(org) if slash else reference.REPO_ID.fullmatch(ref)
    if isinstance(error, SourceError) and may_be_path:
        error.message += f"; nor is there a file or folder {ref}"
    return error
