"""From a reference to a raw config and where it came from."""

from __future__ import annotations

from ffncalc.source.dialects import translate
from ffncalc.source.resolve import Loaded, load, load_path

__all__ = ["Loaded", "load", "load_path", "translate"]
