"""How the list of supported types looks."""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.analysis.archs import Arch
from ffncalc.report.document import Column, Row, Section, Table
from ffncalc.report.entry import SCHEMA_VERSION, Format, Screen

COLUMNS = (Column("model type"), Column("described in"), Column("bundled configs"))


def text(archs: Sequence[Arch], format: Format, screen: Screen) -> str:
    """The list in any format."""
    if format in (Format.JSON, Format.JSONL):
        from ffncalc.report.json import dumps

        rows = [arch.to_dict() for arch in archs]
        if format is Format.JSONL:
            return "".join(dumps({"schema_version": SCHEMA_VERSION, **row}, ascii=screen.ascii) + "\n" for row in rows)
        return dumps({"schema_version": SCHEMA_VERSION, "archs": rows}, indent=2, ascii=screen.ascii) + "\n"
    if format is Format.CSV:
        from ffncalc.report import csv

        return csv.text([arch.to_dict() | {"configs": " ".join(arch.configs)} for arch in archs])
    if format is Format.MARKDOWN:
        from ffncalc.report import markdown

        return markdown.text(document(archs))
    from ffncalc.report import table

    return table.text(document(archs), screen)


def document(archs: Sequence[Arch]) -> list[Section]:
    """All types in one table."""
    rows = tuple(Row((a.model_type, f"{a.module}.py", ", ".join(a.configs))) for a in archs)
    return [Section(f"{len(archs)} model type{'s' if len(archs) != 1 else ''}", "", (Table(COLUMNS, rows),))]
