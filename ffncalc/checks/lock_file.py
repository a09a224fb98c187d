"""ffncalc.lock.json: read, found, and written so that merges stay easy and nothing half-written is ever seen.

Files are named relative to the folder of the lock file, with `/`; keys are sorted, one number per line, so that two
branches that lock different files do not meet.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ffncalc import errors
from ffncalc.checks.document import Document
from ffncalc.checks.lock import NUMBERS, Entry
from ffncalc.errors import FfncalcError, NotFound, UsageError
from ffncalc.ir import CATEGORIES
from ffncalc.source import reading

NAME = "ffncalc.lock.json"
SCHEMA_VERSION = 1
CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r\n]|$)", re.MULTILINE)
ANEW = "Take it from the last commit, or delete it and run `ffncalc lock` on the files."


class LockError(UsageError):
    """A lock file that cannot be read or written."""


@dataclass(frozen=True)
class Lock:
    """The entries of a lock file; `path` is where it lies (None: nowhere)."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    path: Path | None = None

    def name_of(self, path: str | Path) -> str | None:
        """How a file is named here; None where it lies outside the folder of the lock file.

        A link to a file is a file of its own; links among the folders do not matter.
        """
        folder = Path() if self.path is None else self.path.parent
        for start, file in ((os.path.abspath(folder), os.path.abspath(path)), (_real(folder), _real_parent(path))):
            with suppress(ValueError):  # on another drive
                name = Path(os.path.relpath(file, start)).as_posix()
                if name != ".." and not name.startswith("../"):
                    return name
        return None

    def missing(self) -> list[str]:
        """Locked files that are no longer there."""
        folder = Path() if self.path is None else self.path.parent
        return [name for name in self.files if not os.path.lexists(folder / name)]


def shown(path: Path) -> str:
    """A path as it is seen from the current folder."""
    try:
        return os.path.relpath(path)
    except (ValueError, FileNotFoundError):  # on another drive; the current folder was deleted
        return str(path)


def absolute(path: str | Path) -> str:
    """The same path from the root.

    Raises:
        NotFound: the current folder was deleted.
    """
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise NotFound(f"{path}: the current folder is no longer there") from None


def _real(folder: Path) -> str:
    return os.path.realpath(folder)


def _real_parent(path: str | Path) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(path))), os.path.basename(path))


def nearest(folder: Path) -> Path | None:
    """The lock file of a folder or the nearest one above it."""
    return _nearest(Path(absolute(folder)))


@lru_cache(512)
def _nearest(folder: Path) -> Path | None:
    files = (above / NAME for above in (folder, *folder.parents))
    return next((file for file in files if os.path.isfile(file)), None)  # Path.is_file fails where it may not look


@lru_cache(8)
def _read_once(path: Path, stamp: tuple[int, int]) -> Lock:
    return read(path)


def lock_of(folder: Path) -> Lock | None:
    """The lock that holds for the files of a folder; read once as long as it does not change.

    Raises:
        LockError: it cannot be read.
    """
    path = nearest(folder)
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError as error:
        raise LockError(f"{shown(path)}: cannot be read ({error.strerror})") from None
    return _read_once(path, (found.st_mtime_ns, found.st_size))


def holds(path: Path) -> bool:
    """Whether a file is locked.

    Raises:
        LockError: the lock file cannot be read.
    """
    lock = lock_of(path.parent)
    return lock is not None and lock.name_of(path) in lock.files


def read(path: Path) -> Lock:
    """A lock file.

    Raises:
        LockError: it is none, or not one that this version reads; the message says where.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read()
    except OSError as error:
        raise LockError(f"{shown(path)}: cannot be read ({error.strerror})") from None
    return parse(data, path)


def parse(data: bytes, path: Path) -> Lock:
    """The lock in the text of a file; see `read`."""
    if (marker := CONFLICT.search(data)) is not None:
        line = data.count(b"\n", 0, marker.start()) + 1
        hint = "Take one side of each conflict, whichever, and run `ffncalc lock`: it counts again."
        raise LockError(f"{shown(path)}: line {line}: an unresolved merge conflict", hint)
    try:
        raw = reading.parse(data, shown(path))
        doubled = next(Document(data, raw).duplicates(), None)
    except FfncalcError as error:
        raise LockError(error.message, ANEW) from None
    if doubled is not None:
        name, place = doubled
        raise LockError(f"{shown(path)}: line {place.line}: {name.removeprefix('files.')} stands there twice", ANEW)
    _check_version(raw, path)
    files = raw.get("files")
    if not isinstance(files, dict):
        raise LockError(f"{shown(path)}: files: must be an object", ANEW)
    return Lock({_name(name, path): _entry(name, each, path) for name, each in files.items()}, path)


def _check_version(raw: Mapping[str, Any], path: Path) -> None:
    version = raw.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise LockError(f"{shown(path)}: schema_version: must be {SCHEMA_VERSION}, got {errors.shown(version)}", ANEW)
    if version > SCHEMA_VERSION:
        message = f"{shown(path)}: schema_version {version} is newer than this ffncalc reads ({SCHEMA_VERSION})"
        raise LockError(message, "Update ffncalc, or use the version that wrote the file.")


def is_name(name: str) -> bool:
    """Whether a lock file can hold a name: a path inside the folder that means the same on every system."""
    parts = name.split("/")
    odd = "\\" in name or ":" in parts[0] or any("\ud800" <= letter <= "\udfff" for letter in name)
    return not odd and all(part not in ("", ".", "..") for part in parts)


def _name(name: str, path: Path) -> str:
    if not is_name(name):
        raise LockError(f"{shown(path)}: files: {name!r} is not a path inside the folder of the lock file", ANEW)
    return name


def _entry(name: str, raw: Any, path: Path) -> Entry:
    if not isinstance(raw, dict):
        raise LockError(f"{shown(path)}: {name}: must be an object", ANEW)

    def wrong(key: str, expected: str) -> LockError:
        return LockError(f"{shown(path)}: {name}: {key}: must be {expected}, got {errors.shown(raw.get(key))}", ANEW)

    for key in NUMBERS:
        if not _is_count(raw.get(key), whole=key != "kv_elements_per_token"):
            raise wrong(key, "a number")
    crossover, digest, categories = (raw.get(key) for key in ("crossover", "digest", "by_category"))
    if "crossover" not in raw or not (crossover is None or _is_count(crossover)):
        raise wrong("crossover", "a number or null")
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{32}", digest):
        raise wrong("digest", "32 hexadecimal digits")
    if not isinstance(categories, dict) or not all(k in CATEGORIES and _is_count(n) for k, n in categories.items()):
        raise wrong("by_category", "an object of numbers by category")
    return Entry(
        total=raw["total"],
        active=raw["active"],
        by_category=categories,
        crossover=crossover,
        kv_elements_per_token=raw["kv_elements_per_token"],
        digest=digest,
    )


def _is_count(value: Any, *, whole: bool = True) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return False
    return math.isfinite(value) and value >= 0


def text(lock: Lock) -> str:
    """The text of a lock file."""
    files = {name: each.to_dict() for name, each in sorted(lock.files.items())}
    data = {"files": files, "schema_version": SCHEMA_VERSION}
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def write(lock: Lock) -> bool:
    """Write a lock file in one step; False where it holds just that already. Line endings stay what they were.

    Raises:
        LockError: the folder or the file cannot be written.
    """
    assert lock.path is not None
    target = Path(os.path.realpath(lock.path))  # a link stays a link
    data = text(lock).encode()
    try:
        before = target.read_bytes() if target.is_file() else b""
        if b"\r\n" in before:
            data = data.replace(b"\n", b"\r\n")
        if data == before:
            return False
        _replace(target, data)
    except OSError as error:
        raise LockError(f"{shown(lock.path)}: cannot be written ({error.strerror})") from None
    finally:
        _nearest.cache_clear()
    return True


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
