"""Findings as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), which code scanning reads."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ffncalc import __version__
from ffncalc.checks.doc import doc
from ffncalc.checks.finding import Finding, Severity
from ffncalc.checks.runner import Checked
from ffncalc.report.findings import Summary
from ffncalc.report.json import dumps

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


@dataclass(kw_only=True)
class FindingWriter:
    """One run: the rules first, then results as they come."""

    codes: tuple[str, ...] = ()
    color: bool = False
    ascii: bool = False
    failures: list[dict[str, Any]] = field(default_factory=list)
    started: bool = False

    def begin(self) -> str:
        """The log up to its results."""
        driver = {
            "name": "ffncalc",
            "semanticVersion": __version__,
            "rules": [self._rule(code) for code in self.codes],
        }
        return (
            f'{{\n"$schema": {dumps(SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n"tool": '
            f'{dumps({"driver": driver}, ascii=self.ascii)},\n"columnKind": "unicodeCodePoints",\n"results": ['
        )

    def file(self, checked: Checked) -> str:
        """Its results."""
        if checked.error is not None:
            text = str(checked.error) if checked.path in checked.error.message else f"{checked.path}: {checked.error}"
            place = {"physicalLocation": {"artifactLocation": {"uri": uri(checked.path)}}}
            self.failures.append({"level": "error", "message": {"text": text}, "locations": [place]})
        text = ""
        for finding in checked.findings:
            text += ("," if self.started else "") + "\n" + dumps(self._result(finding), ascii=self.ascii)
            self.started = True
        return text

    def end(self, summary: Summary) -> str:
        """What could not be checked."""
        invocation: dict[str, Any] = {"executionSuccessful": not self.failures}
        if self.failures:
            invocation["toolExecutionNotifications"] = self.failures
        return f'\n],\n"invocations": {dumps([invocation], ascii=self.ascii)}\n}}]\n}}\n'

    def _rule(self, code: str) -> dict[str, Any]:
        found = doc(code)
        return {
            "id": code,
            "name": found.name,
            "shortDescription": {"text": found.summary},
            "fullDescription": {"text": found.why},
            "help": {"text": f"Bad: {found.bad}\nGood: {found.good}\nSource: {found.source}"},
            "defaultConfiguration": {"level": LEVELS[found.severity]},
        }

    def _result(self, f: Finding) -> dict[str, Any]:
        region = {"startLine": f.line, "startColumn": f.column, "endLine": f.end_line, "endColumn": f.end_column}
        location: dict[str, Any] = {
            "physicalLocation": {"artifactLocation": {"uri": uri(f.path)}, "region": region},
        }
        if f.field:
            location["logicalLocations"] = [{"fullyQualifiedName": f.field, "kind": "member"}]
        return {
            "ruleId": f.code,
            "ruleIndex": self.codes.index(f.code),
            "level": LEVELS[f.severity],
            "message": {"text": f"{f.message}. {f.hint}" if f.hint else f.message},
            "locations": [location],
            "partialFingerprints": {"ffncalc/v1": fingerprint(f)},
        }


def uri(path: str) -> str:
    """A path as a relative or absolute URI reference; bytes that are no UTF-8 stay what they are."""
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(os.fsencode(pure.as_posix()))


def fingerprint(f: Finding) -> str:
    """What stays the same when lines move."""
    text = "\0".join((f.path, f.code, f.field))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
