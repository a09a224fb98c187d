"""Bringing a lock file up to date: what is counted now against what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ffncalc import api, source
from ffncalc.checks.discovery import Target, included, targets
from ffncalc.checks.elsewhere import instead
from ffncalc.checks.lock import Entry, entry, moved
from ffncalc.checks.lock_file import NAME, Lock, absolute, is_name, nearest, read, shown, write
from ffncalc.checks.lock_turn import turn
from ffncalc.checks.runner import is_config
from ffncalc.errors import FfncalcError, FileError, NotFound, UsageError
from ffncalc.source import reading

PORTABLE = "A name means the same on every system if it is UTF-8 and has neither a backslash nor a colon."


@dataclass
class Update:
    """What happens to the lock file at `path`: all entries, new names, what moved, names that are gone, and errors.

    A file that cannot be counted keeps the entry it has.
    """

    path: Path
    files: dict[str, Entry]
    added: list[str] = field(default_factory=list)
    changed: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    failed: dict[str, FfncalcError] = field(default_factory=dict)

    @property
    def differs(self) -> bool:
        """Whether the lock is out of date."""
        return bool(self.added or self.changed or self.removed)

    def to_dict(self) -> dict[str, object]:
        """As plain values."""
        return {
            "path": str(self.path),
            "files": {name: each.to_dict() for name, each in self.files.items()},
            "added": list(self.added),
            "changed": dict(self.changed),
            "removed": list(self.removed),
            "failed": {name: error.message for name, error in self.failed.items()},
        }


class Counted(NamedTuple):
    """A file as shown, its name in the lock file, and its entry or why it has none."""

    shown: str
    name: str
    found: Entry | FfncalcError


def place(folder: Path | None) -> Path:
    """Where the lock file of a folder is to be; without one, the nearest above the current folder, else a new one here.

    Raises:
        NotFound: there is no such folder.
    """
    if folder is None:
        return nearest(Path()) or Path(absolute(NAME))
    if not folder.is_dir():
        raise NotFound(f"{folder}: no such folder")
    return folder.absolute() / NAME


def bring_up_to_date(paths: Sequence[str], path: Path, *, check: bool, force_exclude: bool = False) -> Update:
    """Count what `paths` mean, or all files that are locked, and write the lock file at `path`; `check` writes nothing.

    `force_exclude`: not the files among `paths` that the settings exclude.

    Raises:
        NotFound: nothing is locked and nothing named, or no config is where one was named.
        UsageError: a target is no file, or lies outside the folder of the lock file, or that cannot be read or written.
    """
    before = _read(path)
    if not before.files and not paths:
        raise NotFound(f"{shown(path)} locks nothing yet, and no file was named", "`ffncalc lock PATH` locks files.")
    lost: dict[str, FfncalcError] = {}
    named = included(paths, force_exclude)
    if paths and not named:
        return Update(path, dict(before.files))
    counted = list(_counted(before, targets(named, lost.__setitem__) if paths else locked(before)))
    if check:
        return _told(_update(before, counted, lost), paths)
    with turn(path):  # others may have written meanwhile
        before = _read(path)
        result = _told(_update(before, counted, lost), paths)
        if result.files or before.files:
            write(Lock(result.files, path))
    return result


def _read(path: Path) -> Lock:
    return read(path) if path.is_file() else Lock(path=path)


def _told(result: Update, paths: Sequence[str]) -> Update:
    """The same; NotFound where nothing is to be done."""
    if paths and not result.files and not result.failed and not result.removed:
        other = next((error for error in map(instead, paths) if isinstance(error, FileError)), None)
        raise other or NotFound(f"no model config in {', '.join(paths)}")
    return result


def _update(lock: Lock, counted: Iterable[Counted], lost: Mapping[str, FfncalcError]) -> Update:
    """What comes of the lock: what was counted goes in, what is no longer there goes out, other entries stay."""
    assert lock.path is not None
    missing = lock.missing()
    kept = {name: each for name, each in lock.files.items() if name not in missing}
    result = Update(lock.path, kept, removed=missing)
    for each in counted:
        if isinstance(each.found, Entry):
            _put(result, each.name, each.found)
        else:
            result.failed[each.shown] = each.found
    result.failed |= lost
    return result


def _counted(lock: Lock, listed: Iterable[Target]) -> Iterator[Counted]:
    """Count the targets.

    Raises:
        UsageError: a target is no file, or lies outside the folder of the lock file.
    """
    assert lock.path is not None
    for target in listed:
        if target.path is None:
            raise UsageError(f"{target.shown}: only files can be locked", "Give files, folders or patterns.")
        if Path(target.path).name == NAME:
            continue
        name = lock.name_of(target.path)
        if name is None:
            message = f"{target.shown} lies outside {lock.path.parent}, the folder of the lock file"
            raise UsageError(message, "Give a folder above both with --folder.")
        try:
            if not is_name(name):
                raise UsageError(f"{target.shown}: the lock file cannot hold this name", PORTABLE)
            found = _count(target._replace(sure=target.sure or name in lock.files))
        except FfncalcError as error:
            yield Counted(target.shown, name, error)
        else:
            if found is not None:
                yield Counted(target.shown, name, found)


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
