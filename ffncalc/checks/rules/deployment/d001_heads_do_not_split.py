"""The attention heads cannot be shared out to --tp ranks.

Each rank holds whole heads; engines refuse when they load the weights.

Settings: tp = 16
Bad: {"num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128}
Good: {"num_attention_heads": 32}
Source: https://arxiv.org/abs/1909.08053
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import axes
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.deployment.hints import tp_hint
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    tp = subject.settings.tp
    if tp is None or subject.model is None:
        return
    for axis in axes(subject.model):
        if axis.kind == "heads" and axis.value % tp:
            at = axis.field or subject.main.at("num_attention_heads")
            yield Fault(at, f"{at} {axis.value} cannot be split over {tp} ranks", tp_hint(subject))
