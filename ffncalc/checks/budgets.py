"""Limits that a model must keep: `[budgets]` in the settings, for all files or for those that a pattern means.

    [tool.ffncalc.budgets]
    max-params = "8B"
    min-ffn-share = "50%@8k"

    [tool.ffncalc.budgets."models/small/*.json"]
    max-params = "1.5B"

A later table counts more than an earlier one, and the command line more than any.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ffncalc import quantity
from ffncalc.errors import UsageError, nearest, shown

USUAL = 8192  # the context of a share that names none
SHARE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*(?:@\s*([^@]+))?")
FORMS = "Write 0.5, 50%, or 50%@32k for a share at another context than 8,192."


@dataclass(frozen=True)
class Share:
    """A share of the FFN, 0..1, at a context."""

    share: float
    ctx: int


Limits = Mapping[str, int | Share]
Budgets = tuple[tuple[str, Limits], ...]  # (pattern, limits), later ones count more


def parse(value: object, where: str) -> Budgets:
    """The table `budgets` of a settings file; tables inside it are named by file patterns.

    Raises:
        UsageError: for an unknown key, with the nearest known one, or a wrong value.
    """
    if not isinstance(value, dict):
        raise UsageError(f"{where}: must be a table, got {shown(value)}")
    shared = {key: each for key, each in value.items() if not isinstance(each, dict)}
    found = [("*", _limits(shared, where))] if shared else []
    for pattern, table in value.items():
        if isinstance(table, dict):
            found.append((pattern, _limits(table, f"{where}.{pattern!r}")))
    return tuple(found)


def _limits(table: Mapping[str, Any], where: str) -> Limits:
    found: dict[str, int | Share] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in READERS:
            near = nearest(key.replace("_", "-"), NAMES, 1)
            raise UsageError(
                f"{where}: unknown budget {key!r}",
                f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(NAMES)}.",
            )
        found[name] = READERS[name](value, f"{where}.{key}")
    return found


def given(values: Mapping[str, str | None]) -> Budgets:
    """The budgets of a command line: they hold for every file.

    Raises:
        UsageError: for a wrong value.
    """
    found = {
        name: READERS[name](value, f"--{name.replace('_', '-')}") for name, value in values.items() if value is not None
    }
    return (("*", found),) if found else ()


def number(value: object, where: str) -> int:
    """A whole number of at least 1: 8000000000, 8B, 128Ki."""
    if isinstance(value, str):
        try:
            value = quantity.parse(value)
        except UsageError as error:
            raise UsageError(f"{where}: {error.message}", error.hint) from None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{where}: must be a whole number, got {shown(value)}", quantity.FORMS)
    if value < 1:
        raise UsageError(f"{where}: must be at least 1, got {value}")
    return value


def octets(value: object, where: str) -> int:
    """A number of bytes: also 128KiB, 1 MB, and 512B, which is no billion here."""
    return number(value.strip().removesuffix("B").removesuffix("b") if isinstance(value, str) else value, where)


def share(value: object, where: str) -> Share:
    """A share and its context: 0.5, "50%", "50%@32k"."""
    found = SHARE.fullmatch(str(value)) if isinstance(value, str | int | float) else None
    if isinstance(value, bool) or found is None:
        raise UsageError(f"{where}: must be a share, got {shown(value)}", FORMS)
    part = float(found[1]) / (100 if found[2] else 1)
    if not (math.isfinite(part) and 0 <= part <= 1):
        raise UsageError(f"{where}: a share lies between 0 and 1, got {shown(value)}", FORMS)
    return Share(part, number(found[3], where) if found[3] else USUAL)


READERS: dict[str, Callable[[object, str], int | Share]] = {
    "max_params": number,
    "max_active": number,
    "min_ffn_share": share,
    "max_ffn_share": share,
    "min_crossover": number,
    "max_kv_bytes_per_token": octets,
}
NAMES = tuple(name.replace("_", "-") for name in READERS)
