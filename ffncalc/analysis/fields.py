"""Which fields of two configs differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

ABSENT = object()
FEW = 3  # items of a list that may differ and still be named one by one

Path = tuple[str | int, ...]


class Difference(NamedTuple):
    """One field: its path from the top, and its values (ABSENT where a side lacks it)."""

    path: Path
    old: Any
    new: Any


def differences(old: Mapping[str, Any], new: Mapping[str, Any], path: Path = ()) -> Iterator[Difference]:
    """Fields that differ, in the order of the new config, removed ones last.

    Objects that both sides have are compared field by field; lists of one length with few different items, item by
    item. Everything else is one field.
    """
    for key in (*new, *(key for key in old if key not in new)):
        yield from _of_values((*path, key), old.get(key, ABSENT), new.get(key, ABSENT))


def _of_values(path: Path, old: Any, new: Any) -> Iterator[Difference]:
    if same(old, new):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from differences(old, new, path)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if not same(a, b)]
        if len(changed) > FEW:
            yield Difference(path, old, new)
        else:
            for i in changed:
                yield from _of_values((*path, i), old[i], new[i])
    else:
        yield Difference(path, old, new)


def same(old: Any, new: Any) -> bool:
    """Whether two values are written alike: 64 and 64.0, or 1 and true, are not; NaN is NaN."""
    if old is ABSENT or new is ABSENT:
        return old is new
    return json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)


def replaced(raw: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy of `raw` with `value` at `path`, or without the field where it is ABSENT; missing objects are made."""
    result = _with(raw, path, value)
    assert isinstance(result, dict)
    return result


def _with(node: Any, path: Path, value: Any) -> Any:
    head, *rest = path
    if isinstance(head, int):
        if not isinstance(node, list) or head >= len(node):
            return node
        return [*node[:head], _with(node[head], tuple(rest), value) if rest else value, *node[head + 1 :]]
    fields = dict(node) if isinstance(node, Mapping) else {}
    if rest:
        fields[head] = _with(fields.get(head), tuple(rest), value)
    elif value is ABSENT:
        fields.pop(head, None)
    else:
        fields[head] = value
    return fields


def dotted(path: Path) -> str:
    """`text_config.layer_types[3]`"""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
