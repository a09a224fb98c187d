"""Findings as GitHub workflow commands, which become annotations of the changed lines.

Syntax and escaping: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands and
actions/toolkit (packages/core/src/command.ts): in a message %, CR and LF are escaped, in a property also : and ,.
"""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.runner import Checked
from ffncalc.report.findings import Summary

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


@dataclass(frozen=True, kw_only=True)
class FindingWriter:
    """`::error file=…,line=…,col=…,title=…::message`."""

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False

    def begin(self) -> str:
        """Nothing."""
        return ""

    def file(self, checked: Checked) -> str:
        """Its annotations."""
        return "".join(map(_command, checked.findings))

    def end(self, summary: Summary) -> str:
        """The counts, which no annotation shows."""
        return f"{summary}\n"


def message(text: str) -> str:
    """A message as a command may hold it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    """The value of a property as a command may hold it."""
    return message(text).replace(":", "%3A").replace(",", "%2C")


def _command(f: Finding) -> str:
    properties = {
        "file": f.path,
        "line": str(f.line),
        "endLine": str(f.end_line),
        "col": str(f.column),
        "endColumn": str(f.end_column),
        "title": f"{f.code} {f.name}",
    }
    if f.end_line != f.line:  # columns are only for one line
        del properties["col"], properties["endColumn"]
    listed = ",".join(f"{name}={value(text)}" for name, text in properties.items())
    body = f"{f.message}\n{f.hint}" if f.hint else f.message
    return f"::{COMMANDS[f.severity]} {listed}::{message(body)}\n"
