"""Sections as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ffncalc.report.document import Facts, Lines, Part, Section, Table, clean, without_empty

SPECIAL = re.compile(r"([\\`*<|\[\]])")


def text(sections: Sequence[Section]) -> str:
    """All sections, one heading each."""
    return "\n".join(_section(section) for section in sections)


def escape(text: str) -> str:
    """Text that is shown as it is: no markup, no new cell, no new line."""
    return SPECIAL.sub(r"\\\1", clean(text))


def _section(section: Section) -> str:
    parts = [f"### {escape(section.title)}", escape(section.subtitle), *map(_part, section.parts)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _part(part: Part) -> str:
    if isinstance(part, Table):
        return _table(without_empty(part))
    if isinstance(part, Facts):
        return "\n".join(f"- {f'**{escape(label)}**: ' if label else ''}{escape(words)}" for label, words in part.pairs)
    return _lines(part)


def _table(table: Table) -> str:
    head = [[escape(c.title) for c in table.columns], ["---:" if c.number else "---" for c in table.columns]]
    body = []
    for row in table.rows:
        first, *rest = map(escape, row.cells)
        label = f"**{first}**" if row.total else "&emsp;" * row.level + first
        body.append([label, *rest])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (*head, *body))


def _lines(lines: Lines) -> str:
    body = "\n".join(clean(line).replace("```", "'''") for line in lines.lines)
    return f"**{escape(lines.title)}**\n\n```text\n{body}\n```" if body else ""
