"""Findings as GitHub workflow commands, which become annotations of the changed lines.

Syntax and escaping: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands and
actions/toolkit (packages/core/src/command.ts): in a message %, CR and LF are escaped, in a property also : and ,.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

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
        if checked.error is not None:
            properties = {"file": place(checked.path), "title": "not checked"}
            return _command("error", properties, checked.error.message, checked.error.hint)
        return "".join(map(_finding, checked.findings))

    def end(self, summary: Summary) -> str:
        """The counts, which no annotation shows."""
        return f"{summary}\n"


def message(text: str) -> str:
    """A message as a command may hold it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    """The value of a property as a command may hold it."""
    return message(text).replace(":", "%3A").replace(",", "%2C")


def place(path: str) -> str:
    """A path as git writes it: without a leading `./`, with slashes."""
    return PurePath(path).as_posix()


def _finding(f: Finding) -> str:
    properties = {
        "file": place(f.path),
        "line": str(f.line),
        "endLine": str(f.end_line),
        "col": str(f.column),
        "endColumn": str(f.end_column),
        "title": f"{f.code} {f.name}",
    }
    if f.end_line != f.line:  # columns are only for one line
        del properties["col"], properties["endColumn"]
    return _command(COMMANDS[f.severity], properties, f.message, f.hint)


def _command(name: str, properties: Mapping[str, str], text: str, hint: str) -> str:
    listed = ",".join(f"{key}={value(each)}" for key, each in properties.items())
    body = f"{text}\n{hint}" if hint else text
    return f"::{name} {listed}::{message(body)}\n"
