"""There is a lock file, and this config is not in it.

Where some configs of a folder are locked, one that is not was most likely forgotten: nothing would notice when its
counts move.

Settings: an empty lock file
Bad: {"intermediate_size": 16384}
Good: {"model_type": "detr"}
Source: `ffncalc lock` writes the lock file
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    if subject.lock is not None and subject.locked is None and subject.model is not None:
        yield Fault("", "not in the lock file", f"Run `ffncalc lock {subject.path}`.")
