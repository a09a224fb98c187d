"""Lists of one entry per layer, when the number of layers changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc import what_if
from ffncalc.inverse.fields import lookup
from ffncalc.schema import DEEPEST

DEPTHS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")


def resized(
    raw: Mapping[str, Any], fields: tuple[str, ...], before: Mapping[str, Any]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """A config whose lists of one entry per layer fit its new number of layers, and the names of those lists.

    A list is cut, or continued by the shortest pattern that it repeats.
    """
    names = [name for name in fields if name.rpartition(".")[2] in DEPTHS]
    fitted_lists: tuple[str, ...] = ()
    for name in names:
        *path, key = name.split(".")
        found = _found_path(before, path, key)
        old, new = lookup(before, ".".join((*found, key))), lookup(raw, ".".join((*found, key)))
        if not isinstance(old, int) or not isinstance(new, int) or new > DEEPEST:
            continue
        scope = lookup(raw, ".".join(found)) if found else raw
        assert isinstance(scope, Mapping)
        lists = {k: v for k, v in scope.items() if isinstance(v, list) and len(v) == old and old > 1}
        if lists:
            fitted = {**scope, **{k: continued(v, new) for k, v in lists.items()}}
            raw = _placed(raw, found, fitted)
            fitted_lists = tuple(".".join((*found, k)) for k in lists)
    return raw, fitted_lists


def _found_path(raw: Mapping[str, Any], path: list[str], key: str) -> tuple[str, ...]:
    """Where a bare key lies: at the top, or in the language model of a composite."""
    if path or key in raw:
        return tuple(path)
    return next(((part,) for part in what_if.TEXT_PARTS if isinstance(raw.get(part), Mapping)), ())


def _placed(raw: Mapping[str, Any], path: tuple[str, ...], scope: Mapping[str, Any]) -> Mapping[str, Any]:
    if not path:
        return scope
    return {**raw, path[0]: _placed(raw[path[0]], path[1:], scope)}


def continued(entries: list[Any], count: int) -> list[Any]:
    """A list cut to `count` entries, or continued by its shortest period."""
    period = next(p for p in range(1, len(entries) + 1) if entries[p:] == entries[: len(entries) - p])
    return [entries[i] if i < len(entries) else entries[i % period] for i in range(count)]
