"""Findings as JUnit XML, which GitLab, Jenkins and Azure read: a suite per file, a failed case per error or warning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.runner import Checked
from ffncalc.report.findings import Summary

# What XML 1.0 cannot hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(kw_only=True)
class FindingWriter:
    """`<testsuites>` with one `<testsuite>` per file; infos are its output, and fail nothing.

    In the form of Ant's reports, the strictest one that is written down (github.com/windyroad/JUnit-Schema).
    """

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False
    started: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"))
    suites: int = 0

    def begin(self) -> str:
        """The start of the document."""
        return f'<?xml version="1.0" encoding="{"US-ASCII" if self.ascii else "UTF-8"}"?>\n<testsuites>\n'

    def file(self, checked: Checked) -> str:
        """One suite; a file without failures is one case that passes."""
        name = _attribute(checked.path)
        failing = [f for f in checked.findings if f.severity is not Severity.INFO]
        infos = [f for f in checked.findings if f.severity is Severity.INFO]
        if checked.error is not None:
            message, kind = map(_attribute, (checked.error.message, checked.error.kind))
            error = f"<error message={message} type={kind}>{escape(_legal(str(checked.error)))}</error>"
            cases = [f'    <testcase name="read" classname={name} time="0">{error}</testcase>\n']
        else:
            cases = [_case(f, name) for f in failing] or [f'    <testcase name="check" classname={name} time="0"/>\n']
        text = escape(_legal("\n".join(map(_line, infos))))
        counts = f'tests="{len(cases)}" failures="{len(failing)}" errors="{int(checked.error is not None)}" time="0"'
        place = f'package="ffncalc" id="{self.suites}" timestamp="{self.started}" hostname="localhost"'
        self.suites += 1
        return (
            f"  <testsuite name={name} {place} {counts}>\n    <properties/>\n{''.join(cases)}"
            f"    <system-out>{text}</system-out>\n    <system-err/>\n  </testsuite>\n"
        )

    def end(self, summary: Summary) -> str:
        """The end of the document."""
        return "</testsuites>\n"


def _case(f: Finding, classname: str) -> str:
    title = _attribute(f"{f.code} {f.name} {f.field}".rstrip())
    kind = _attribute(f"{f.code}.{f.severity}")
    body = f"<failure message={_attribute(f.message)} type={kind}>{escape(_legal(_line(f)))}</failure>"
    return f'    <testcase name={title} classname={classname} time="0">{body}</testcase>\n'


def _line(f: Finding) -> str:
    return f"{f.path}:{f.line}:{f.column}: {f.code} {f.severity}: {f.message}" + (f"\n{f.hint}" if f.hint else "")


def _attribute(text: str) -> str:
    return quoteattr(_legal(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _legal(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
