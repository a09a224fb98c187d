"""Values that a finding takes from the class, since the file has none: they are said to be no part of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ffncalc.checks.finding import Fault
from ffncalc.checks.subject import Part, Subject

WORD = re.compile(r"\d[\d,.]*\d|[\w.]+")


def noted(fault: Fault, subject: Subject) -> Fault:
    """The fault, with a note for each class default that its message gives as the value of a field."""
    words = dict.fromkeys(WORD.findall(fault.message))
    notes = [note for part in subject.text for note in _notes(part, tuple(words)) if note not in fault.message]
    return replace(fault, message="; ".join((fault.message, *notes))) if notes else fault


def _notes(part: Part, words: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        field = word.removeprefix(part.prefix)
        value = part.defaults.get(field) if word.startswith(part.prefix) and part.key(field) is None else None
        if type(value) is int and {str(value), f"{value:,}"} & set(words):
            yield f"{word} is not in the file: {value} is the default of the class"
