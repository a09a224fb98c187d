"""A file that holds no model config.

Nothing can be loaded from it: text that is no JSON (the place of the mistake is given), JSON that is no object, or
another file of a model repository: an adapter, a tokenizer, a pointer of Git LFS.

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
from ffncalc.errors import FfncalcError, FileError
from ffncalc.source import foreign

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    try:
        foreign.refuse(subject.raw, "")
    except FileError as error:
        yield unread(error, "")


def unread(error: FfncalcError, where: str) -> Fault:
    """The fault for a file that could not be read as far as its keys."""
    message = error.message.removeprefix(f"{where}: ").lstrip(": ")
    place = re.match(r"line (\d+), column (\d+): ", message)
    if place is None:
        return Fault("", message, error.hint)
    return Fault("", message[place.end() :], error.hint, place=(int(place[1]), int(place[2])))
