"""A token adds more bytes to the key–value cache than the budget allows.

The cache decides how many sequences fit on a device. Counted while no sliding window is full, in the dtype that the
config gives the cache.

Settings: budgets = {"max-kv-bytes-per-token" = "128KiB"}
Bad: {"num_key_value_heads": 32}
Good: {"num_key_value_heads": 4}
Source: `ffncalc memory` shows the bytes
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.analysis.memory import memory
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.budget.limits import hint
from ffncalc.checks.subject import Subject
from ffncalc.errors import FfncalcError

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    limit, model = subject.limit("max_kv_bytes_per_token"), subject.model
    if limit is None or model is None:
        return
    try:
        held = memory(model, ctx=1)
    except FfncalcError as error:
        yield Fault("", f"the bytes of the key–value cache are not known: {error.message}", error.hint)
        return
    found = held.kv_bytes(held.cache.per_token)
    if found > limit:
        yield Fault(
            subject.main.at("num_key_value_heads"),
            f"a token adds {found:,} bytes to the key–value cache ({held.kv_dtype}), the budget is {limit:,}",
            hint("max-kv-bytes-per-token"),
        )
