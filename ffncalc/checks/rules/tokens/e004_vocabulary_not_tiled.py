"""The vocabulary is no multiple of 64 (a warning) or 128 (an info).

The largest product of a small model runs on partly filled tiles, and tensor parallelism has to pad it.

Bad: {"vocab_size": 128257}
Good: {"vocab_size": 128256}
Source: https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        rows = part.size("vocab_size")
        if rows is None or part.given("vocab_size") is None or rows % 128 == 0 or rows < 128:
            continue
        step, severity = (128, Severity.INFO) if rows % 64 == 0 else (64, None)
        at = part.at("vocab_size")
        yield Fault(
            at, f"{at} {rows} is no multiple of {step}", f"Pad it to {-(-rows // 128) * 128}.", severity=severity
        )
