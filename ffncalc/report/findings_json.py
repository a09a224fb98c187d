"""Findings as one JSON object, written as they come."""

from __future__ import annotations

from dataclasses import dataclass, field

from ffncalc.checks.runner import Checked
from ffncalc.report.entry import SCHEMA_VERSION
from ffncalc.report.findings import Summary
from ffncalc.report.json import dumps


@dataclass(kw_only=True)
class FindingWriter:
    """`{"schema_version", "findings", "failures", "summary"}`; a failure is a file that could not be checked."""

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False
    failures: list[dict[str, str]] = field(default_factory=list)
    started: bool = False

    def begin(self) -> str:
        """The start of the object."""
        return f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "findings": ['

    def file(self, checked: Checked) -> str:
        """Elements of `findings`."""
        if checked.error is not None:
            error = checked.error
            entry = {"path": checked.path, "kind": error.kind, "message": error.message, "hint": error.hint}
            self.failures.append(entry)
        text = ""
        for finding in checked.findings:
            text += f"{',' if self.started else ''}\n    {dumps(finding.to_dict(), ascii=self.ascii)}"
            self.started = True
        return text

    def end(self, summary: Summary) -> str:
        """What could not be checked, and the counts."""
        failures = dumps(self.failures, ascii=self.ascii)
        close = "\n  ]" if self.started else "]"
        return f'{close},\n  "failures": {failures},\n  "summary": {dumps(summary.to_dict())}\n}}\n'
