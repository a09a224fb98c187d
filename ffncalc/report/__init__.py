"""Results as text: pure functions from entries to a table, JSON, CSV or Markdown."""

from __future__ import annotations

from ffncalc.report.entry import Entry, Format, Report, Screen
from ffncalc.report.render import render

__all__ = ["Entry", "Format", "Report", "Screen", "render"]
