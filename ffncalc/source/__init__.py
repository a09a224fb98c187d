"""From a reference to a raw config and where it came from."""

from __future__ import annotations

from ffncalc.source.dialects import translate
from ffncalc.source.resolve import Fetched, Loaded, fetch, load, load_path

__all__ = ["Fetched", "Loaded", "fetch", "load", "load_path", "translate"]
