"""What was counted when files were locked: the entries of ffncalc.lock.json, and what moved since.

An entry holds the numbers that people look at, and a digest of the whole description (tensors, what attention and
recurrences cost, what is cached), so that no count moves unseen. Fields that no count depends on are in neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ffncalc.analysis.crossover import crossover
from ffncalc.analysis.fingerprint import fingerprint
from ffncalc.analysis.flops import exact
from ffncalc.analysis.kv_cache import kv_cache
from ffncalc.analysis.params import params
from ffncalc.ir import CATEGORIES, Model

NUMBERS = ("total", "active", "kv_elements_per_token")  # never null in a lock file
LABELS = {
    "total": "parameters",
    "active": "active parameters",
    "crossover": "crossover",
    "kv_elements_per_token": "cache elements per token",
}

Count = int | float | None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The numbers of one file. `crossover` is None where attention never overtakes the FFN."""

    total: int
    active: int
    by_category: Mapping[str, int]
    crossover: int | None
    kv_elements_per_token: int | float
    digest: str

    def to_dict(self) -> dict[str, Any]:
        """As in the lock file: categories without parameters are left out."""
        return {
            "active": self.active,
            "by_category": {name: n for name, n in self.by_category.items() if n},
            "crossover": self.crossover,
            "digest": self.digest,
            "kv_elements_per_token": self.kv_elements_per_token,
            "total": self.total,
        }


def entry(model: Model) -> Entry:
    """Count a model for the lock file."""
    counted = params(model)
    return Entry(
        total=int(counted.total),
        active=int(counted.active),
        by_category={name: int(n) for name, n in counted.by_category.items()},
        crossover=crossover(model).ctx,
        kv_elements_per_token=exact(kv_cache(model).per_token),
        digest=fingerprint(model),
    )


def moved(old: Entry, new: Entry) -> str:
    """What differs between two entries, in words; "" where nothing does."""
    if old.digest == new.digest and old.to_dict() == new.to_dict():
        return ""
    said = list(_moves(old, new))
    return "; ".join(said) or "layers changed though every total stayed: other shapes, names, spans or order"


def _moves(old: Entry, new: Entry) -> Iterator[str]:
    dense = old.active == old.total and new.active == new.total
    for name, label in LABELS.items():
        before, after = getattr(old, name), getattr(new, name)
        if before != after and not (dense and name == "active"):
            yield f"{label} {_shown(before)} → {_shown(after)}{_change(before, after)}"
        if name == "total":
            yield from _by_category(old, new)


def _by_category(old: Entry, new: Entry) -> Iterator[str]:
    changes = []
    for name in CATEGORIES:
        before, after = old.by_category.get(name, 0), new.by_category.get(name, 0)
        if before != after:
            changes.append(f"{name} {after - before:+,}")
    if changes:
        yield "of them " + ", ".join(changes)


def _shown(number: Count) -> str:
    return "never" if number is None else f"{number:,}"


def _change(old: Count, new: Count) -> str:
    return "" if old is None or new is None else f" ({new - old:+,})"
