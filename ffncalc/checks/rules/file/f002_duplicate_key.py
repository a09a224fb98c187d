"""A key that its object names twice.

Parsers keep the last value without a word, so what a reader sees first is not what is loaded.

Base: none
Bad: {"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "n_embd": 1536, "vocab_size": 50257}
Good: {"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "vocab_size": 50257}
Source: https://www.rfc-editor.org/rfc/rfc8259#section-4
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for field, place in subject.document.duplicates():
        yield Fault(
            field,
            f"{field} is named a second time, and only this value counts",
            "Take out the one that is wrong.",
            place=(place.line, place.column),
        )
