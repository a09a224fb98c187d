"""From entries to text in one of the formats; a format's module is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ffncalc.report.entry import Entry, Format, Report, Screen

T = TypeVar("T")

PLAIN = Screen()


def render(report: Report[T], entries: Sequence[Entry[T]], format: Format, screen: Screen = PLAIN) -> str:
    """The text of a command's results. Failed entries are in JSON and CSV only."""
    if format in (Format.JSON, Format.JSONL):
        from ffncalc.report import json

        return json.text(report.payload, entries, lines=format is Format.JSONL, ascii=screen.ascii)
    if format is Format.CSV:
        from ffncalc.report import csv

        return csv.text([row for entry in entries for row in csv.rows(report.rows, entry)])
    sections = report.document([entry for entry in entries if entry.error is None])
    if format is Format.MARKDOWN:
        from ffncalc.report import markdown

        return markdown.text(sections)
    from ffncalc.report import table

    return table.text(sections, screen)
