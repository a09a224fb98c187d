"""The vocabulary is no multiple of --tp.

Engines pad embedding and head to the next one; tools that cut the tensors themselves fail.

Settings: tp = 8
Bad: {"vocab_size": 128257}
Good: {"vocab_size": 128256}
Source: https://arxiv.org/abs/1909.08053
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import axes
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    tp = subject.settings.tp
    if tp is None or subject.model is None:
        return
    for axis in axes(subject.model):
        if axis.kind == "vocabulary" and axis.value % tp:
            at = axis.field or subject.main.at("vocab_size")
            padded = -(-axis.value // tp) * tp
            yield Fault(at, f"{at} {axis.value} is no multiple of {tp}", f"Pad it to {padded}.")
