"""The JSON contract: one object with one entry per reference, or one object per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ffncalc.errors import FfncalcError
from ffncalc.report.entry import SCHEMA_VERSION, Entry

T = TypeVar("T")


def text(
    payload: Callable[[Entry[T]], dict[str, Any]],
    entries: Sequence[Entry[T]],
    *,
    lines: bool = False,
    ascii: bool = False,
) -> str:
    """All entries as JSON; `lines` gives each its own line and schema version."""
    objects = [{"model": entry.origin, **(error(entry.error) if entry.error else payload(entry))} for entry in entries]
    if lines:
        return "".join(dumps({"schema_version": SCHEMA_VERSION, **each}, ascii=ascii) + "\n" for each in objects)
    return dumps({"schema_version": SCHEMA_VERSION, "models": objects}, indent=2, ascii=ascii) + "\n"


def dumps(data: object, *, indent: int | None = None, ascii: bool = False) -> str:
    """`data` as strict JSON: NaN and Infinity are no numbers there, and no result holds one."""
    return json.dumps(data, indent=indent, ensure_ascii=ascii, allow_nan=False)


def error(problem: FfncalcError) -> dict[str, Any]:
    """What stands in place of the results of an entry that failed."""
    return {"error": {"kind": problem.kind, "message": problem.message, "hint": problem.hint}}
