"""A key that no config has, next to the spelling of one that decides the size of the model.

Unknown keys are accepted everywhere and do nothing, so the field that was meant keeps the default of the class, or the
value that stands under the right name beside it.

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
from ffncalc.source import dialects

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    if subject.is_params:
        yield from _in_params(subject.raw)
    else:
        yield from _in(subject.raw, "", subject.model_type)
    for part in (*subject.text, *subject.towers):
        if part.prefix:
            yield from _in(part.raw, part.prefix.rstrip("."), part.model_type)


def _in(raw: Mapping[str, Any], prefix: str, model_type: str) -> Iterator[Fault]:
    unknown = known.unknown(raw, model_type)
    if len(unknown) > known.COMPARED:
        message = f"{len(unknown):,} keys are unknown, of which only the first {known.COMPARED:,} were looked at"
        yield Fault(prefix, message, "Take out what is no part of a model config.")
    for key in unknown[: known.COMPARED]:
        at, near = child(prefix, key), known.near(key, model_type)
        absent = next((name for name in near if name not in raw), None)
        beside = next((name for name in near if name in raw and _alike(raw[key], raw[name])), None)
        if absent is not None:
            yield Fault(at, f"{key} is no key of a model config", f"Did you mean {absent}?")
        elif beside is not None:
            yield Fault(
                at,
                f"{key} is no key of a model config, and stands beside {beside}",
                f"Keep {beside} only, with the value that is meant.",
                also=(child(prefix, beside),),
            )


def _in_params(raw: Mapping[str, Any]) -> Iterator[Fault]:
    """Misspelt keys of a params.json, whose keys are short."""
    for key in known.unknown(raw, "")[: known.COMPARED]:
        near = next((name for name in dialects.KEYS if known.distance(key, name, 1) <= 1), None)
        if near is not None and key not in dialects.KEYS:
            message, hint = f"{key} is no key of a params.json", f"Did you mean {near}?"
            yield Fault(key, message, hint, also=(near,) if near in raw else ())


def _alike(value: object, other: object) -> bool:
    """Whether two values are of one type, so that one can be meant for the other."""
    return value is not None and type(value) is type(other)
