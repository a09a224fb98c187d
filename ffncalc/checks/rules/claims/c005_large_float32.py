"""A model of more than a billion parameters in float32.

Hardly any is published so; the file doubles every estimate of memory.

Bad: {"torch_dtype": "float32"}
Good: {"torch_dtype": "bfloat16"}
Source: dtypes of published models
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.params import params
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    key = next((k for k in ("dtype", "torch_dtype") if subject.raw.get(k) is not None), None)
    if key is None or subject.raw[key] not in ("float", "float32", "torch.float32", "fp32") or subject.model is None:
        return
    total = int(params(subject.model).total)
    if total > 10**9:
        yield Fault(
            key, f"{total / 1e9:.1f} billion parameters in float32", 'Write "bfloat16" if the weights are stored so.'
        )
