"""Inverse questions: which width (or other field) makes a model meet a target, everything else as it is.

The model is built anew for every value that is tried, so the answer holds for every supported type, and is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ffncalc import source
from ffncalc.errors import UsageError
from ffncalc.formula import labels, symbols
from ffncalc.inverse.fields import MULTIPLE, build, changed, now, widest, width_fields
from ffncalc.inverse.goals import QUANTITIES, Target, target
from ffncalc.inverse.search import Search
from ffncalc.inverse.solution import Candidate, Solution

__all__ = ["QUANTITIES", "Candidate", "Solution", "Target", "solve", "target"]


def solve(
    ref: str | PathLike[str] | Mapping[str, Any],
    goal: Target,
    *,
    vary: str | None = None,
    multiple_of: int | None = None,
) -> Solution:
    """The value of the FFN width, or of the field `vary` (several with commas between), that meets a target.

    `ref` as for `load`. Widths are looked for among multiples of `multiple_of` (128), other fields among all integers.

    Raises:
        UsageError: no such field, a target that no value reaches, or a quantity that the field does not change.
        FfncalcError: the config is not valid.
    """
    if multiple_of is not None and multiple_of < 1:
        raise UsageError("the multiple must be at least 1")
    raw = _raw(ref)
    model = build(raw)
    found = width_fields(raw, model)
    fields = tuple(name.strip() for name in vary.split(",")) if vary else found
    if not fields:
        width = widest(model)
        given = "no layer of this model has an FFN"
        if width:
            given = f"no single field of this config sets the width of its FFNs: most are {symbols(width)} = {width:,}"
        raise UsageError(given, "Name the field to change with --vary.")
    if vary:
        _check(raw, fields)
    is_width = set(fields) <= {*found, *labels(model.width)} and now(raw, fields, model) >= MULTIPLE
    step = multiple_of or (MULTIPLE if is_width else 1)
    return Search(raw=raw, target=goal, fields=fields, step=step, model=model).solve()


def _check(raw: Mapping[str, Any], fields: tuple[str, ...]) -> None:
    """Refuse a field that cannot be varied.

    Raises:
        UsageError: the config has no such field, or it can be no number.
    """
    try:
        changed(raw, fields, 1)
    except UsageError as error:
        raise UsageError(error.message.replace("--set", "--vary", 1), error.hint) from None


def _raw(ref: str | PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(ref, Mapping):
        return ref
    return source.load(ref).raw if isinstance(ref, str) else source.load_path(Path(ref)).raw
