"""No dtype, neither as `dtype` nor as `torch_dtype`.

Loaders take float32 then, and whoever estimates memory is off by a factor of two.

Bad: without torch_dtype, dtype
Good: {"torch_dtype": "bfloat16"}
Source: transformers from_pretrained
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    if not subject.model_type or subject.translated is not subject.raw:
        return
    if any(subject.raw.get(key) for key in ("dtype", "torch_dtype")):
        return
    if not any(part.raw.get(key) for part in subject.text for key in ("dtype", "torch_dtype")):
        yield Fault(
            "torch_dtype",
            "no dtype is given",
            'Write what the weights are stored in, such as "torch_dtype": "bfloat16".',
        )
