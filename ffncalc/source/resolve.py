"""Which kind of reference it is, and how to read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ffncalc.errors import FileError, NotFound
from ffncalc.ir import Origin
from ffncalc.source import bundled


@dataclass(frozen=True)
class Loaded:
    """A raw config and where it came from."""

    raw: Mapping[str, Any]
    origin: Origin


def load(ref: str) -> Loaded:
    """Read the config of a reference.

    Raises:
        SourceError: it could not be had.
        FileError: it is no model config.
    """
    path = Path(ref)
    if path.is_dir():
        path = path / "config.json"
    if path.is_file():
        return Loaded(_object(path.read_bytes(), str(path)), Origin(ref=ref, source="file", path=str(path)))
    found = bundled.find(ref)
    if found is not None:
        return Loaded(_object(found.read_bytes(), ref), Origin(ref=ref, source="bundled", path=None))
    raise NotFound(f"{ref}: no such file and no bundled config")


def _object(data: bytes, where: str) -> Mapping[str, Any]:
    raw = json.loads(data)
    if not isinstance(raw, dict):
        raise FileError(f"{where}: expected a JSON object")
    return raw
