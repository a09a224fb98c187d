"""A file of the lock file is not there.

It was deleted or renamed; its numbers are held to nothing. This rule looks at the lock file itself, the nearest one
above what is checked and those found on the way.

Base: none
Bad: {"files": {"models/gone.json": {}}, "schema_version": 1}
Good: {"files": {}, "schema_version": 1}
Source: `ffncalc lock` writes the lock file
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.lock_file import Lock
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    files = subject.raw.get("files")
    if "schema_version" not in subject.raw or not isinstance(files, Mapping):
        return  # not a lock file
    for name in Lock(files, Path(subject.path)).missing():
        yield Fault(f"files.{name}", f"{name} is locked, but not there", "Run `ffncalc lock` to take it out.")
