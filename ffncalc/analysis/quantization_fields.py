"""Which values the fields of a quantisation config can have, whatever its method.

Fields that are not listed here, and null, are for the readers of the methods to judge.
Source: transformers utils/quantization_config.py; compressed-tensors quantization/quant_args.py, which refuses a group
of 0 as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ffncalc.errors import ConfigError, shown
from ffncalc.schema import LARGEST
from ffncalc.storage import Storage

SKIPS = ("modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules", "llm_int8_skip_modules")
NAMES = frozenset({*SKIPS, "targets"})
TEXT = frozenset({
    "quant_method", "quant_algo", "kv_cache_quant_algo", "format", "checkpoint_format", "mode", "strategy",
    "activation_scheme", "scale_fmt", "expert_dtype", "bnb_4bit_quant_type",
})  # fmt: skip
FLAGS = frozenset({
    "load_in_4bit", "load_in_8bit", "_load_in_4bit", "_load_in_8bit", "bnb_4bit_use_double_quant", "desc_act", "sym",
    "symmetric", "zero_point",
})  # fmt: skip
BITS = frozenset({"bits", "w_bit", "num_bits"})
GROUPS = frozenset({"group_size", "q_group_size"})
PAIRS = frozenset({"weight_block_size", "block_structure"})
TABLES = frozenset({"config_groups", "quantized_layers"})
MEAN = ("exl2", "exl3")  # methods whose bits are a mean over the weights: 2.5
WIDEST = 64


class Wrong(NamedTuple):
    """A field inside the table, what is wrong, and whether the type is, rather than the number."""

    field: str
    message: str
    is_type: bool


def wrong(table: Mapping[str, Any]) -> Iterator[Wrong]:
    """Every impossible value of a quantisation config, in the order of the file."""
    return _wrong(table, "", table.get("quant_method") in MEAN)


def refuse(storage: Storage) -> None:
    """Do nothing where every field has a value that it can have.

    Raises:
        ConfigError: naming the first field that has not.
    """
    table, key = storage.quantization, storage.quantization_key
    if not isinstance(table, Mapping):
        raise ConfigError(f"{key}: must be an object, got {shown(table)}")
    for field, message, _ in wrong(table):
        raise ConfigError(f"{key}.{field}: {message}")


def _wrong(table: Mapping[str, Any], prefix: str, mean: bool) -> Iterator[Wrong]:
    for key, value in table.items():
        if value is None or (mean and key in BITS):
            continue
        rule, is_type = _broken(key, value)
        if rule:
            yield Wrong(prefix + key, f"must be {rule}, got {shown(value)}", is_type)
        elif isinstance(value, Mapping):
            yield from _wrong(value, f"{prefix}{key}.", mean)


def _broken(key: str, value: object) -> tuple[str, bool]:
    """The rule that a value breaks ("": none), and whether by its type."""
    if key in TEXT:
        return ("" if isinstance(value, str) else "text"), True
    if key in FLAGS:
        return ("" if isinstance(value, bool) else "true or false"), True
    if key in TABLES:
        named = isinstance(value, Mapping) and all(isinstance(each, Mapping) for each in value.values())
        return ("" if named else "an object of objects"), True
    if key in NAMES:
        return ("" if _are_names(value) else "a list of names"), True
    if key in PAIRS:
        return _pair(value)
    return _number(key, value) if key in BITS or key in GROUPS else ("", False)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _pair(value: object) -> tuple[str, bool]:
    listed = isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)
    fits = isinstance(value, list) and listed and all(0 < n <= LARGEST for n in value)
    return ("" if fits else "two positive integers"), not listed


def _number(key: str, value: object) -> tuple[str, bool]:
    """64.0 is 64, as everywhere."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return "an integer", True
    if key in BITS:
        return ("" if 1 <= value <= WIDEST else f"between 1 and {WIDEST}"), False
    return ("" if value == -1 or 1 <= value <= LARGEST else "a positive integer, or -1 for one group"), False
