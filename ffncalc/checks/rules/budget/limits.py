"""What the budget rules say alike."""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault


def over(what: str, found: int, limit: int, name: str) -> Iterator[Fault]:
    """A fault where a count is above its limit."""
    if found > limit:
        yield Fault("", f"{found:,} {what}, the budget is {limit:,} (+{found - limit:,})", hint(name))


def hint(name: str) -> str:
    """What to do about a budget that is not kept."""
    return f"Change the config, or {name} in the budgets if this is meant."
