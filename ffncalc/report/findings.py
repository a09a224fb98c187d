"""Findings as they are printed: a writer per format, fed file by file so that nothing has to be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import Protocol

from ffncalc.checks.finding import Severity
from ffncalc.checks.runner import Checked


class CheckFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"
    MARKDOWN = "markdown"


@dataclass
class Summary:
    """Counts of a run."""

    files: int = 0
    failed: int = 0
    by_severity: dict[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    by_rule: dict[str, int] = field(default_factory=dict)
    fails: bool = False

    def add(self, checked: Checked) -> None:
        """Count one file."""
        self.failed += checked.error is not None
        self.files += checked.error is None
        self.fails = self.fails or checked.fails
        for finding in checked.findings:
            self.by_severity[finding.severity] += 1
            self.by_rule[finding.code] = self.by_rule.get(finding.code, 0) + 1

    @property
    def findings(self) -> int:
        """All of them."""
        return sum(self.by_severity.values())

    def to_dict(self) -> dict[str, object]:
        """The `summary` object of the JSON contract."""
        return {
            "files": self.files,
            "not_checked": self.failed,
            "errors": self.by_severity[Severity.ERROR],
            "warnings": self.by_severity[Severity.WARNING],
            "infos": self.by_severity[Severity.INFO],
            "rules": dict(sorted(self.by_rule.items())),
        }

    def __str__(self) -> str:
        names = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "info"))
        counts = [plural(n, word) for severity, word in names if (n := self.by_severity[severity])]
        failed = f", {self.failed:,} not checked" if self.failed else ""
        return f"{', '.join(counts) or 'No findings'} in {plural(self.files, 'file')}{failed}"


def plural(number: int, word: str) -> str:
    """`1 file`, `10,000 files`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


class Writer(Protocol):
    """A format: what is printed first, for each file, and last."""

    def begin(self) -> str:
        """The start."""

    def file(self, checked: Checked) -> str:
        """One file."""

    def end(self, summary: Summary) -> str:
        """The end."""


def writer(format: CheckFormat, codes: Sequence[str], *, color: bool = False, ascii: bool = False) -> Writer:
    """The writer of a format; `codes` are the rules that may be found."""
    module = {"json": "findings_json", "text": "findings_text", "markdown": "findings_markdown"}
    found = import_module(f"ffncalc.report.{module.get(format.value, format.value)}")
    made: Writer = found.FindingWriter(codes=tuple(codes), color=color, ascii=ascii)
    return made
