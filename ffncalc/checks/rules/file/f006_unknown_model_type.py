"""A model_type that nobody knows, and that the class contradicts or nothing explains.

Loaders refuse it; a tool that reads it as Llama all the same gives numbers of another model. Types with code of their
own (`auto_map`), or with a class of the same name, are left alone.

Bad: {"model_type": "lama"}
Good: {"model_type": "llama"}
Source: transformers, models/auto/configuration_auto.py
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.architectures import MODULES
from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import classes
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    named = subject.raw.get("model_type")
    if subject.model_type and not named:
        return
    if not subject.model_type:
        if not subject.raw.get("auto_map") and subject.translated is subject.raw:
            message = "model_type is missing" if named is None else f"model_type must be a name, got {shown(named)}"
            yield Fault("model_type", message, 'Write the type of the class, such as "llama".')
        return
    model_type = subject.model_type
    if model_type in MODULES or model_type in known.model_types() or subject.raw.get("auto_map"):
        return
    if classes.fits(subject.raw, model_type):
        return
    near = sorted(MODULES, key=lambda name: known.distance(model_type.lower(), name, 2))
    close = [name for name in near[:2] if known.distance(model_type.lower(), name, 2) <= 2]
    owner = classes.owner(subject.raw)
    guess = owner or (close[0] if close else "")
    hint = f"Write {guess!r}." if guess else "Add auto_map if the model has code of its own."
    yield Fault("model_type", f"model_type {shown(model_type)} is not known", hint)
