"""Loading a model: the door to the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

from ffncalc import architectures, source
from ffncalc.ir import Model, Origin
from ffncalc.source import Loaded


def load(ref: str | PathLike[str] | Mapping[str, Any]) -> Model:
    """The model of a reference (repository id, path, URL) or of an already parsed config.

    Raises:
        FfncalcError: the config could not be had, read or understood.
    """
    if isinstance(ref, Mapping):
        return describe(Loaded(ref, Origin(ref="", source="dict")))
    return describe(source.load(fspath(ref)))


def describe(loaded: Loaded) -> Model:
    """The model of a config that was already read."""
    return replace(architectures.build(loaded.raw), origin=loaded.origin, name=loaded.origin.ref)
