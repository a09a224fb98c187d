"""There is a lock file, and this config is not in it.

Where some configs of a folder are locked, one that is not was most likely forgotten: nothing would notice when its
counts move. A config that cannot be counted cannot be locked either, which is said.

Settings: an empty lock file
Bad: {"intermediate_size": 16384}
Good: {"peft_type": "LORA"}, without model_type, architectures, hidden_size, num_hidden_layers
Source: `ffncalc lock` writes the lock file
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    if subject.lock is None or subject.locked is not None or subject.unread is not None:
        return
    if subject.uncounted is None:
        yield Fault("", "not in the lock file", f"Run `ffncalc lock {subject.path}`.")
    else:
        message = f"not in the lock file, and it cannot be counted: {subject.uncounted.message}"
        yield Fault(subject.uncounted.field, message, "Ignore L002 for this file if that is meant.")
