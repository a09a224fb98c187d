"""Findings as JUnit XML, which GitLab, Jenkins and Azure read: a suite per file, a failed case per error or warning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.runner import Checked
from ffncalc.report.findings import Summary

# What XML 1.0 cannot hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class FindingWriter:
    """`<testsuites>` with one `<testsuite>` per file; infos pass, with their text as output."""

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False

    def begin(self) -> str:
        """The start of the document."""
        encoding = "US-ASCII" if self.ascii else "UTF-8"
        return f'<?xml version="1.0" encoding="{encoding}"?>\n<testsuites name="ffncalc check">\n'

    def file(self, checked: Checked) -> str:
        """One suite; a file without findings is one case that passes."""
        name = _attribute(checked.path)
        if checked.error is not None:
            body = f'<testcase name="read" classname={name} time="0"><error message={_attribute(checked.error.message)}'
            return _suite(name, 1, 0, 1, f'    {body} type="{checked.error.kind}"/></testcase>\n')
        cases = [_case(f, name) for f in checked.findings] or [
            f'    <testcase name="check" classname={name} time="0"/>\n'
        ]
        failures = sum(f.severity is not Severity.INFO for f in checked.findings)
        return _suite(name, len(cases), failures, 0, "".join(cases))

    def end(self, summary: Summary) -> str:
        """The end of the document."""
        return "</testsuites>\n"


def _suite(name: str, tests: int, failures: int, errors: int, body: str) -> str:
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="0" time="0"'
    return f"  <testsuite name={name} {counts}>\n{body}  </testsuite>\n"


def _case(f: Finding, classname: str) -> str:
    title = _attribute(f"{f.code} {f.name} {f.field}".rstrip())
    where = f"{f.path}:{f.line}:{f.column}: {f.severity.value}"
    text = escape(_legal(f"{where}: {f.message}" + (f"\n{f.hint}" if f.hint else "")))
    if f.severity is Severity.INFO:
        inner = f"<system-out>{text}</system-out>"
    else:
        inner = f"<failure message={_attribute(f.message)} type={_attribute(f'{f.code}.{f.severity}')}>{text}</failure>"
    return f'    <testcase name={title} classname={classname} time="0">{inner}</testcase>\n'


def _attribute(text: str) -> str:
    return quoteattr(_legal(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _legal(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
