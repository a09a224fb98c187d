"""The experts cannot be dealt out to --ep ranks.

Each rank holds the same number of whole experts.

Base: deepseek-ai/DeepSeek-V2
Settings: ep = 64
Bad: {"n_routed_experts": 160}
Good: {"n_routed_experts": 128}
Source: https://arxiv.org/abs/2006.16668
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import axes, divisors
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.deployment.hints import listed
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    ep = subject.settings.ep
    if ep is None or subject.model is None:
        return
    for axis in axes(subject.model):
        if axis.kind == "experts" and axis.value % ep:
            at = axis.field or subject.main.at("num_experts")
            good = divisors([axis.value])
            yield Fault(
                at, f"{axis.value} experts ({at}) cannot be split over {ep} ranks", f"--ep that works: {listed(good)}."
            )
