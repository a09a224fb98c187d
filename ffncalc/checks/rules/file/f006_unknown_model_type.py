"""A model_type that nobody knows, and that the class contradicts or nothing explains.

Loaders refuse it; a tool that reads it as Llama all the same gives numbers of another model. Types with code of their
own (`auto_map`), or with a class of the same name, are left alone. A warning where the type is missing and the class
tells it, or where the type of a nested config looks misspelt.

Bad: {"model_type": "lama"}
Good: {"model_type": "llama"}
Source: transformers, models/auto/configuration_auto.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffncalc.architectures import MODULES
from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import classes
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.ERROR
PARAMS = frozenset({"dim", "n_layers", "n_heads", "n_kv_heads", "hidden_dim"})
DIGITS = re.compile(r"\d+")


def check(subject: Subject) -> Iterator[Fault]:
    yield from _nested(subject)
    named = subject.raw.get("model_type")
    if subject.model_type and not named:
        if not subject.is_params:
            message = f"model_type is missing: read as {subject.model_type}, by its class"
            yield Fault(
                "model_type", message, f'Write "model_type": "{subject.model_type}".', severity=Severity.WARNING
            )
        return
    if not subject.model_type:
        if not subject.raw.get("auto_map") and not subject.is_params:
            message = "model_type is missing" if named is None else f"model_type must be a name, got {shown(named)}"
            yield Fault("model_type", message, _instead(subject))
        return
    model_type = subject.model_type
    if model_type in MODULES or model_type in known.model_types() or subject.raw.get("auto_map"):
        return
    if classes.fits(subject.raw, model_type):
        return
    guess = classes.owner(subject.raw) or _near(model_type)
    hint = f"Write {guess!r}." if guess else "Add auto_map if the model has code of its own."
    yield Fault("model_type", f"model_type {shown(model_type)} is not known", hint)


def _instead(subject: Subject) -> str:
    """What to write: the type, or what keeps the file from being a params.json."""
    lacking = next((key for key in ("dim", "n_layers") if key not in subject.raw), "")
    if lacking and len(PARAMS & subject.raw.keys()) >= 3:
        return f"Write {lacking}, if this is a params.json."
    return 'Write the type of the class, such as "llama".'


def _nested(subject: Subject) -> Iterator[Fault]:
    """Types of the parts that look like misspelt ones; another generation (`qwen4_text`) is no misspelling."""
    for part in (each for each in (*subject.text, *subject.towers) if each.prefix):
        named = part.raw.get("model_type")
        if named is not None and not isinstance(named, str):
            at = f"{part.prefix}model_type"
            yield Fault(at, f"{at} must be a name, got {shown(named)}", "Write the type of this part.")
        if not isinstance(named, str) or named in MODULES or named in known.model_types():
            continue
        near = _near(named)
        if near and DIGITS.findall(near) == DIGITS.findall(named):
            at = f"{part.prefix}model_type"
            yield Fault(at, f"{at} {shown(named)} is not known", f"Write {near!r}.", severity=Severity.WARNING)


def _near(model_type: str) -> str:
    """The described type that is at most two letters away, or ""."""
    far, name = min((known.distance(model_type.lower(), name, 2), name) for name in MODULES)
    return name if far <= 2 else ""
