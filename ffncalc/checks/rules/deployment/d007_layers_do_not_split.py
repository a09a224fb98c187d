"""The layers are no multiple of --pp, or fewer than --pp (an error).

Stages differ in length then, and the longest sets the pace; with fewer layers than stages some stages are empty.

Settings: pp = 5
Bad: {"num_hidden_layers": 32}
Good: {"num_hidden_layers": 30}
Source: https://arxiv.org/abs/1811.06965
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.parallel import divisors
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.deployment.hints import listed
from ffncalc.checks.subject import Subject

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    pp = subject.settings.pp
    if pp is None or subject.model is None:
        return
    layers = int(subject.model.layer_count)
    if pp > layers or layers % pp:
        at = subject.main.at("num_hidden_layers")
        each, more = divmod(layers, pp)
        uneven = f"{more} stages of {each + 1} and {pp - more} of {each}"
        yield Fault(
            at,
            f"{at} {layers} over {pp} stages: {f'{pp - layers} of them empty' if pp > layers else uneven}",
            f"--pp that divides them: {listed(divisors([layers]))}.",
            severity=Severity.ERROR if pp > layers else None,
        )
