"""An FFN width cannot be cut into --tp equal slices.

Gate and up are split by columns, down by rows, at the same places. With --ep experts stay whole.

Settings: tp = 3
Bad: {"intermediate_size": 14336, "num_attention_heads": 24, "num_key_value_heads": 6, "head_dim": 128}
Good: {"intermediate_size": 14400, "num_attention_heads": 24, "num_key_value_heads": 6, "head_dim": 128}
Source: https://arxiv.org/abs/1909.08053
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import Axis, axes
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.deployment.hints import tp_hint
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    tp = subject.settings.tp
    if tp is None or subject.model is None:
        return
    for axis in widths(subject):
        if axis.value % tp:
            at = axis.field or subject.main.at("intermediate_size")
            what = "expert width" if axis.kind == "routed_expert" else "width"
            yield Fault(at, f"{what} {axis.value} ({at}) cannot be cut into {tp} equal slices", tp_hint(subject))


def widths(subject: Subject) -> Iterator[Axis]:
    """The FFN widths that tensor parallelism cuts: those of experts only where no --ep keeps them whole."""
    assert subject.model is not None
    kinds = ["dense", "routed_expert", "shared_expert"]
    if (subject.settings.ep or 1) > 1:
        kinds.remove("routed_expert")
    seen: set[tuple[str, int]] = set()  # one shared expert has the width of a routed one
    for axis in sorted(axes(subject.model), key=lambda a: a.kind):
        if axis.kind in kinds and (axis.field, axis.value) not in seen:
            seen.add((axis.field, axis.value))
            yield axis
