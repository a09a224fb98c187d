"""Bringing a lock file up to date: what is counted now against what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ffncalc import api, source
from ffncalc.checks.discovery import Target
from ffncalc.checks.lock import Entry, entry, moved
from ffncalc.checks.lock_file import NAME, Lock
from ffncalc.checks.runner import is_config
from ffncalc.errors import FfncalcError, FileError, UsageError
from ffncalc.source import reading


@dataclass
class Update:
    """What happens to a lock: names that are new, names with what moved, names that are gone, and errors by name.

    A file that cannot be counted keeps the entry it has.
    """

    files: dict[str, Entry]
    added: list[str] = field(default_factory=list)
    changed: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    failed: dict[str, FfncalcError] = field(default_factory=dict)

    @property
    def differs(self) -> bool:
        """Whether the lock is out of date."""
        return bool(self.added or self.changed or self.removed)


def update(lock: Lock, targets: Iterable[Target]) -> Update:
    """Count the targets, and drop what is no longer there; other entries stay.

    Raises:
        UsageError: a target is no file, or lies outside the folder of the lock file.
    """
    missing = lock.missing()
    result = Update({name: each for name, each in lock.files.items() if name not in missing}, removed=missing)
    for target in targets:
        if target.path is None:
            raise UsageError(f"{target.shown}: only files can be locked", "Give files, folders or patterns.")
        if Path(target.path).name == NAME:
            continue
        name = lock.name_of(target.path)
        if name is None:
            message = (
                f"{target.shown} lies outside {lock.path.parent if lock.path else '.'}, the folder of the lock file"
            )
            raise UsageError(message, "Give a folder above both with --folder.")
        try:
            found = _count(target)
        except FfncalcError as error:
            result.failed[target.shown] = error
        else:
            if found is not None:
                _put(result, name, found)
    return result


def _count(target: Target) -> Entry | None:
    """The entry of a file; None for a file of a folder that is no model config."""
    assert target.path is not None
    if not target.sure:
        try:
            data = reading.read_path(target.path, target.shown)
        except OSError as error:
            raise FileError(f"{target.shown}: cannot be read ({error.strerror})") from None
        if not is_config(data):
            return None
    return entry(api.describe(source.load_path(Path(target.path))))


def _put(result: Update, name: str, found: Entry) -> None:
    before = result.files.get(name)
    if before is None:
        result.added.append(name)
    elif what := moved(before, found):
        result.changed[name] = what
    result.files[name] = found


def locked(lock: Lock) -> Iterator[Target]:
    """The files of a lock that are there, as targets."""
    folder = Path() if lock.path is None else lock.path.parent
    missing = set(lock.missing())
    yield from (Target(str(folder / name), str(folder / name)) for name in lock.files if name not in missing)
