"""The groups or blocks of a quantised width: how many weights share a scale along it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ffncalc.errors import shown

FORMATS = {"mxfp4": 32, "nvfp4": 16}  # formats whose block has one size


def block_in(table: Mapping[str, Any]) -> tuple[int, str] | None:
    """The group or block of a quantisation config and the key that says it ("": its method); None for no blocks."""
    for path, value in _sizes(table):
        if isinstance(value, int) and not isinstance(value, bool) and 1 < value <= 65536:
            return value, path
    words = " ".join(shown(table.get(key, "")) for key in ("quant_method", "format", "quant_algo")).lower()
    return next(((size, "") for word, size in FORMATS.items() if word in words), None)


def _sizes(table: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Where a group or block size may stand."""
    blocks = table.get("weight_block_size")
    if isinstance(blocks, list) and blocks:
        yield "weight_block_size", blocks[-1]
    yield "group_size", table.get("group_size")
    groups = table.get("config_groups")
    for name, group in groups.items() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if isinstance(weights, Mapping):
            yield f"config_groups.{name}.weights.group_size", weights.get("group_size")
            structure = weights.get("block_structure")
            if isinstance(structure, list) and structure:
                yield f"config_groups.{name}.weights.block_structure", structure[-1]
