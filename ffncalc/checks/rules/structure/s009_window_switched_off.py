"""A sliding window is given but switched off.

Every layer sees everything; tools that read the number only take the cache to be smaller than it is.

Base: Qwen/Qwen2.5-7B
Bad: {"use_sliding_window": false, "sliding_window": 32768}
Good: {"use_sliding_window": true, "sliding_window": 32768}
Source: transformers, models/qwen2
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.INFO


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        if part.given("use_sliding_window") is False and part.given("sliding_window"):
            at, other = part.at("sliding_window"), part.at("use_sliding_window")
            yield Fault(at, f"{at} {part.given('sliding_window')} has no effect: {other} is false", also=(other,))
