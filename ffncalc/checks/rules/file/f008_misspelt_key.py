"""A key that no config has, next to the spelling of one that decides the size of the model.

Unknown keys are accepted everywhere and do nothing, so the field that was meant keeps the default of the class.

Bad: {"num_key_value_head": 4}, without num_key_value_heads
Good: {"num_key_value_heads": 4}
Source: transformers stores unknown keys as attributes that nothing reads
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ffncalc.checks import known
from ffncalc.checks.document import child
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING
COMPARED = 1_000  # unknown keys; a config has a handful


def check(subject: Subject) -> Iterator[Fault]:
    if subject.translated is subject.raw:
        yield from _in(subject.raw, "", subject.model_type)
    for part in subject.text:
        if part.prefix:
            yield from _in(part.raw, part.prefix.rstrip("."), part.model_type)


def _in(raw: Mapping[str, Any], prefix: str, model_type: str) -> Iterator[Fault]:
    unknown = [key for key in raw if known.is_unknown(key, model_type)]
    if len(unknown) > COMPARED:
        message = f"{len(unknown):,} keys are unknown, of which only the first {COMPARED:,} were looked at"
        yield Fault(prefix, message, "Take out what is no part of a model config.")
    for key in unknown[:COMPARED]:
        near = [name for name in known.near(key, model_type) if name not in raw]
        if near:
            yield Fault(
                child(prefix, key),
                f"{key} is no key of a model config",
                f"Did you mean {near[0]}?",
            )
