"""Findings as a table in GitHub-flavoured Markdown, for a comment or a job summary."""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.checks.finding import Finding
from ffncalc.checks.runner import Checked
from ffncalc.errors import FfncalcError
from ffncalc.report.findings import Summary
from ffncalc.report.markdown import escape

HEAD = "| Where | Rule | Severity | What | Hint |\n| --- | --- | --- | --- | --- |\n"


@dataclass(kw_only=True)
class FindingWriter:
    """One row per finding, and per file that could not be checked."""

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False
    started: bool = False

    def begin(self) -> str:
        """The heading."""
        return "### ffncalc check\n\n"

    def file(self, checked: Checked) -> str:
        """Rows."""
        rows = _failure(checked.path, checked.error) if checked.error else "".join(map(_row, checked.findings))
        head = HEAD if rows and not self.started else ""
        self.started = self.started or bool(rows)
        return head + rows

    def end(self, summary: Summary) -> str:
        """The counts."""
        return f"{chr(10) if self.started else ''}{summary}.\n"


def _row(f: Finding) -> str:
    return _cells(f"{f.path}:{f.line}", f"{f.code} {f.name}", f.severity.value, f.message, f.hint)


def _failure(path: str, error: FfncalcError) -> str:
    return _cells(path, "", "not checked", error.message, error.hint)


def _cells(*cells: str) -> str:
    return "| " + " | ".join(map(escape, cells)) + " |\n"
