"""From a reference to a raw config: which reader it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ffncalc.errors import FileError, NotFound
from ffncalc.origin import Origin
from ffncalc.source import bundled, folder, foreign, reading, reference
from ffncalc.source.reference import Reference


@dataclass(frozen=True)
class Loaded:
    """A raw config, where it came from, and what is worth knowing about how it was had."""

    raw: Mapping[str, Any]
    origin: Origin
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fetched:
    """The bytes of a config file; `where` names it in errors."""

    data: bytes
    where: str
    origin: Origin
    notes: tuple[str, ...] = ()

    def parse(self) -> Loaded:
        """The config in it; raises FileError for what is none."""
        raw = reading.parse(self.data, self.where)
        foreign.refuse(raw, self.where)
        return Loaded(raw, self.origin, self.notes)


def load(ref: str, *, revision: str | None = None, refresh: bool = False, offline: bool = False) -> Loaded:
    """Read the config of a reference; as `fetch`, and raises FileError for what is no model config."""
    return fetch(ref, revision=revision, refresh=refresh, offline=offline).parse()


def fetch(ref: str, *, revision: str | None = None, refresh: bool = False, offline: bool = False) -> Fetched:
    """The config file of a reference: an open stream, a path, REV:PATH in git, a repository id, or an address.

    A repository is read from the bundled configs unless `refresh` or a revision asks otherwise, then from the Hub,
    or from huggingface_hub's cache when `offline`.

    Raises:
        UsageError: it is no reference, or the revision does not go with it.
        SourceError: it could not be had.
        FileError: it cannot be read.
    """
    found = reference.parse(ref)
    if revision is not None:
        found = reference.with_revision(found, revision)
    if found.descriptor is not None:
        return _from_stream(found.shown, found.descriptor)
    if found.path is not None:
        return _shadowed(found, refresh) or _from_path(found.path, found.shown)
    if found.git is not None:
        return _from_git(found.shown, *found.git)
    inside = None if refresh or found.revision or found.file else bundled_config(found.repo_id)
    if inside is not None:
        return Fetched(inside.read_bytes(), found.shown, Origin(ref=found.shown, source="bundled"))
    return _from_hub(found, offline)


def load_path(path: Path, shown: str = "") -> Loaded:
    """Read a file, or the config in a folder.

    Raises:
        NotFound: nothing is there, or no config in it.
        FileError: it is no model config.
    """
    return _from_path(path, shown or str(path)).parse()


def _from_stream(shown: str, number: int) -> Fetched:
    if number == 0:
        return Fetched(reading.read_descriptor(0, "stdin"), "stdin", Origin(ref=shown, source="stdin"))
    return Fetched(reading.read_descriptor(number, shown), shown, Origin(ref=shown, source="file", path=shown))


def _from_path(path: Path, shown: str) -> Fetched:
    where = path
    try:
        if path.is_dir():
            found = folder.config_in(_names(path), lambda name: reading.read_path(path / name), shown.rstrip("/\\"))
            where = path / found
        data = reading.read_path(where)
    except FileNotFoundError:
        raise NotFound(f"{where}: no such file or folder") from None
    except OSError as error:
        raise FileError(f"{where}: cannot be read ({error.strerror})") from None
    return Fetched(data, str(where), Origin(ref=shown, source="file", path=str(where)))


def bundled_config(repo_id: str) -> Path | None:
    """The bundled config of a repository id; `gpt2` and its kin are known by the organisation they moved to."""
    return bundled.find(repo_id) if "/" in repo_id else bundled.find_legacy(repo_id)


def _shadowed(found: Reference, refresh: bool) -> Fetched | None:
    """The bundled config whose name a folder without any config happens to have (a folder called gpt2)."""
    if found.path is None or not found.path.is_dir() or refresh or reference.looks_like_path(found.shown):
        return None
    names = _names(found.path)
    if any(name in names for name in ("config.json", *folder.MARKERS)):
        return None
    inside = bundled_config(found.shown.rstrip("/"))
    return Fetched(inside.read_bytes(), found.shown, Origin(ref=found.shown, source="bundled")) if inside else None


def _from_hub(found: Reference, offline: bool) -> Fetched:
    from ffncalc.source import hub

    fetched = hub.fetch(found.repo_id, found.revision, found.file, offline=offline)
    origin = Origin(ref=found.shown, source=fetched.source, revision=fetched.commit, path=fetched.file)
    return Fetched(fetched.data, f"{found.repo_id}/{fetched.file}", origin, fetched.notes)


def _from_git(shown: str, revision: str, path: str) -> Fetched:
    from ffncalc.source import git

    blob = git.fetch(revision, path)
    return Fetched(blob.data, shown, Origin(ref=shown, source="git", revision=blob.commit, path=blob.path))


def _names(path: Path) -> set[str]:
    """Files of a folder and of the folders in it, as `sub/name`."""
    names: set[str] = set()
    try:
        for name in os.listdir(path):
            inside = f"{name}/config.json" if (path / name).is_dir() else name
            names |= {inside} if (path / inside).exists() else set()
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    return names
