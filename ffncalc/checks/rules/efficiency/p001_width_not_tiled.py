"""A width is no multiple of 64 (a warning) or 128 (an info).

Matrix units work on tiles of 64 or 128; the last one is filled in part, and fp8 blocks of 128 do not fit.

Bad: {"intermediate_size": 14300}
Good: {"intermediate_size": 14336}
Source: https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import axes
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject
from ffncalc.formula import labels

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    if subject.model is None:
        return
    found = {(labels(subject.model.width) or [""])[-1]: int(subject.model.width)}
    for axis in axes(subject.model):
        if axis.kind in ("dense", "routed_expert", "shared_expert") and len(axis.fields) == 1:
            found.setdefault(axis.field, axis.value)
    for field, width in found.items():
        if field and width % 128:
            step, severity = (128, Severity.INFO) if width % 64 == 0 else (64, None)
            hint = f"{-(-width // 128) * 128} is the next multiple of 128."
            yield Fault(field, f"{field} {width} is no multiple of {step}", hint, severity=severity)
