"""A model_type that is known elsewhere but not described here.

Only what holds for every config is checked: nothing is counted, so rules that need the model are silent.

Base: none
Bad: {"model_type": "detr", "architectures": ["DetrForObjectDetection"], "d_model": 256}
Good: {"model_type": "gpt2"}
Source: `ffncalc archs` lists the types that are described
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import f006_unknown_model_type
from ffncalc.checks.subject import Subject
from ffncalc.errors import UnsupportedModel

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    if not isinstance(subject.outcome, UnsupportedModel) or any(f006_unknown_model_type.check(subject)):
        return
    at = "model_type" if "model_type" in subject.outcome.message else ""
    yield Fault(at, f"{subject.outcome.message.rstrip('.')}: only the file is checked", subject.outcome.hint)
