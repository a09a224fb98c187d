"""The sliding window is at least as long as the context.

It never closes, so every layer sees everything.

Base: mistralai/Mistral-7B-v0.1
Bad: {"sliding_window": 65536}
Good: {"sliding_window": 4096}
Source: https://arxiv.org/abs/2310.06825
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.INFO


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        window, longest = part.size("sliding_window"), part.size("max_position_embeddings")
        if window is None or longest is None or part.get("use_sliding_window") is False or window < longest:
            continue
        at, other = part.at("sliding_window"), part.at("max_position_embeddings")
        yield Fault(at, f"{at} {window} is not below {other} {longest}: it never closes", also=(other,))
