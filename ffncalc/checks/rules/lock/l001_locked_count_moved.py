"""A count differs from the one in the lock file.

A merge or an edit has moved parameters, what a token costs, or what it caches, or left a file that cannot be counted.
Fields that no count depends on may change freely.

Settings: a lock file of the unchanged config
Bad: {"intermediate_size": 16384}
Good: {"rope_theta": 1000000.0}
Source: `ffncalc lock` writes the lock file
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.lock import entry, moved
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    locked = subject.locked
    if locked is None:
        return
    if subject.model is not None:
        what = moved(locked, entry(subject.model))
        if what:
            yield Fault("", f"not as locked: {what}", f"If that is meant, run `ffncalc lock {subject.path}`.")
    elif (why := subject.uncounted) is not None:
        message = f"locked with {locked.total:,} parameters, but no longer counted: {why.message}"
        yield Fault(why.field, message, why.hint)
