"""How the rules of `check` look: a table of all, and a page of one."""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.checks.doc import Doc
from ffncalc.report.document import Column, Facts, Row, Section, Table
from ffncalc.report.entry import SCHEMA_VERSION, Format, Screen

COLUMNS = (Column("code"), Column("name"), Column("severity"), Column("finds"))


def table(docs: Sequence[Doc], format: Format, screen: Screen) -> str:
    """One row per rule."""
    rows = tuple(Row((d.code, d.name, d.severity.value, d.summary)) for d in docs)
    title = f"{len(docs)} rule{'s' if len(docs) != 1 else ''}"
    return _text(docs, [Section(title, "", (Table(COLUMNS, rows),))], format, screen)


def page(docs: Sequence[Doc], format: Format, screen: Screen) -> str:
    """Everything about some rules."""
    return _text(docs, [_section(d) for d in docs], format, screen)


def _section(d: Doc) -> Section:
    base = "" if d.base == "none" else f" (changes to {d.base})"
    pairs = [("finds", d.summary), ("why", d.why), (f"bad{base}", d.bad), ("good", d.good)]
    if d.settings:
        pairs.append(("with settings", d.settings))
    return Section(f"{d.code} {d.name}", f"{d.severity} · {d.group}", (Facts((*pairs, ("source", d.source))),))


def _text(docs: Sequence[Doc], sections: list[Section], format: Format, screen: Screen) -> str:
    if format in (Format.JSON, Format.JSONL):
        from ffncalc.report.json import dumps

        rows = [d.to_dict() for d in docs]
        if format is Format.JSONL:
            return "".join(dumps({"schema_version": SCHEMA_VERSION, **row}, ascii=screen.ascii) + "\n" for row in rows)
        return dumps({"schema_version": SCHEMA_VERSION, "rules": rows}, indent=2, ascii=screen.ascii) + "\n"
    if format is Format.CSV:
        from ffncalc.report import csv

        return csv.text([d.to_dict() for d in docs])
    if format is Format.MARKDOWN:
        from ffncalc.report import markdown

        return markdown.text(sections)
    from ffncalc.report import table

    return table.text(sections, screen)
