"""A file that holds no model config.

Nothing can be loaded from it: text that is no JSON (the place of the mistake is given), JSON that is no object, or
another file of a model repository: an adapter, a tokenizer, a pointer of Git LFS. Reported whatever rules are
selected; only F001 itself, in full, ignores it.

Base: none
Bad: {"hidden_size": 4096,}
Good: {"model_type": "gpt2"}
Source: https://www.rfc-editor.org/rfc/rfc8259
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    """The place is that of the mistake, where the error names one."""
    if subject.unread is None:
        return
    message, hint = subject.unread.message.removeprefix(f"{subject.path}: "), subject.unread.hint
    place = re.match(r"line (\d+), column (\d+): ", message)
    if place is None:
        yield Fault("", message, hint)
    else:
        yield Fault("", message[place.end() :], hint, place=(int(place[1]), int(place[2])))
