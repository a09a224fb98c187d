"""Loading a model, and which there are: the door to the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ffncalc import architectures, source
from ffncalc.ir import Model
from ffncalc.origin import PARSED
from ffncalc.source import Loaded, bundled
from ffncalc.storage import storage_of

Ref = str | PathLike[str] | Mapping[str, Any]


def load(
    ref: Ref,
    *,
    revision: str | None = None,
    refresh: bool = False,
    offline: bool = False,
) -> Model:
    """The model of a reference (repository id, path, address) or of an already parsed config.

    A path object is always a path, a string may also be a repository id. `revision` is a branch, tag or commit of a
    repository; `refresh` asks the Hub where a bundled config would do; `offline` never asks it.

    Raises:
        FfncalcError: the config could not be had, read or understood.
    """
    return describe(read(ref, revision=revision, refresh=refresh, offline=offline))


def read(ref: Ref, *, revision: str | None = None, refresh: bool = False, offline: bool = False) -> Loaded:
    """The config of a reference, as for `load`, not yet described."""
    if isinstance(ref, Mapping):
        return Loaded(ref, PARSED)
    if not isinstance(ref, str):
        return source.load_path(Path(fspath(ref)))
    return source.load(ref, revision=revision, refresh=refresh, offline=offline)


def models() -> tuple[str, ...]:
    """The repository ids of the configs that come with ffncalc, sorted."""
    return tuple(name for name, _ in bundled.entries())


def describe(loaded: Loaded) -> Model:
    """The model of a config that was already read."""
    raw = source.translate(loaded.raw)
    model = architectures.build(raw)
    notes = (*loaded.notes, *model.notes)
    return replace(model, storage=storage_of(raw), origin=loaded.origin, name=loaded.origin.ref, notes=notes)
