"""Findings for people: one per line, with a hint below, and a summary."""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.runner import Checked
from ffncalc.report.document import clean
from ffncalc.report.findings import Summary

COLORS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}


@dataclass(frozen=True, kw_only=True)
class FindingWriter:
    """`path:line:column: CODE severity: message [name]`."""

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False

    def begin(self) -> str:
        """Nothing."""
        return ""

    def file(self, checked: Checked) -> str:
        """Its findings."""
        return "".join(map(self._finding, checked.findings))

    def end(self, summary: Summary) -> str:
        """The counts."""
        return f"{summary}\n"

    def _finding(self, f: Finding) -> str:
        code = self._paint(f.code, f"1;{COLORS[f.severity]}")
        severity = self._paint(f.severity.value, COLORS[f.severity])
        place = self._paint(f"{clean(f.path)}:{f.line}:{f.column}:", "1")
        line = f"{place} {code} {severity}: {clean(f.message)} {self._paint(f'[{f.name}]', '2')}\n"
        return line + (f"  {self._paint('hint:', '2')} {clean(f.hint)}\n" if f.hint else "")

    def _paint(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.color else text
