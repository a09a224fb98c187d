"""The key/value heads cannot be shared out to --tp ranks, or have to be copied (a warning).

With fewer heads than ranks each rank keeps a copy of one, so the cache does not shrink any more. Latent attention has
one cache for all heads, and every rank keeps it.

Settings: tp = 16
Bad: {"num_key_value_heads": 8}
Good: {"num_key_value_heads": 16}
Source: https://arxiv.org/abs/2305.13245
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import axes, kv_split
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.deployment.hints import tp_hint
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    tp = subject.settings.tp
    if tp is None or tp == 1 or subject.model is None:
        return
    for axis in axes(subject.model):
        if axis.kind != "kv_heads":
            continue
        at = axis.field or subject.main.at("num_key_value_heads")
        copies = kv_split(axis.value, tp)
        if copies is None:
            yield Fault(at, f"{at} {axis.value} and {tp} ranks: neither divides the other", tp_hint(subject))
        elif copies > 1:
            yield Fault(
                at,
                f"{at} {axis.value} over {tp} ranks: each head is kept {copies} times",
                f"The cache per rank does not shrink beyond --tp {axis.value}.",
                severity=Severity.WARNING,
            )
