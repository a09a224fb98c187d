"""The commands. Each module parses, calls and prints; nothing is computed here."""

from __future__ import annotations

from ffncalc.cli.app import app, usage_problem

__all__ = ["app", "usage_problem"]
