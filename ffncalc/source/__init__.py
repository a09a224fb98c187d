"""From a reference to a raw config and where it came from."""

from __future__ import annotations

from ffncalc.source.resolve import Loaded, load

__all__ = ["Loaded", "load"]
