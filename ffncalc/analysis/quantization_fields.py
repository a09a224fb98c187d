"""Which values the fields of a quantisation config can have, whatever its method.

Fields that are not listed here, and null, are for the readers of the methods to judge.
Source: transformers utils/quantization_config.py; compressed-tensors quantization/quant_args.py, which refuses a group
of 0 as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ffncalc.errors import ConfigError, shown
from ffncalc.schema import LARGEST
from ffncalc.storage import Storage

SKIPS = ("modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules", "llm_int8_skip_modules")
BITS = frozenset({"bits", "w_bit", "num_bits"})
GROUPS = frozenset({"group_size", "q_group_size"})
PAIRS = frozenset({"weight_block_size", "block_structure"})
MEAN = ("exl2", "exl3")  # methods whose bits are a mean over the weights: 2.5
WIDEST = 64


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _are_lists_of_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, str) or _are_names(row) for row in value)


def _are_objects(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, Mapping) for each in value.values())


def _is_one_of(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


# What a value must be, how that is told, and the keys.
TYPES: tuple[tuple[str, Callable[[object], bool], tuple[str, ...]], ...] = (
    ("text", _is_one_of(str), (
        "quant_method", "quant_algo", "kv_cache_quant_algo", "format", "checkpoint_format", "mode", "strategy", "type",
        "activation_scheme", "scale_fmt", "expert_dtype", "bnb_4bit_quant_type", "quantization_mode",
    )),
    ("true or false", _is_one_of(bool), (
        "load_in_4bit", "load_in_8bit", "_load_in_4bit", "_load_in_8bit", "bnb_4bit_use_double_quant", "desc_act",
        "sym", "symmetric", "zero_point",
    )),
    ("true, false or an object", _is_one_of(bool, Mapping), ("lm_head",)),
    ("an object or text", _is_one_of(Mapping, str), ("kv_cache_scheme",)),
    ("true, false or text", _is_one_of(bool, str), ("actorder",)),
    ("an object", _is_one_of(Mapping), ("input_activations", "output_activations")),
    ("an object of objects", _are_objects, ("config_groups", "quantized_layers")),
    ("a list of names", _are_names, (*SKIPS, "targets")),
    ("a list of names or of lists of names", _are_lists_of_names, ("modules_in_block_to_quantize",)),
)  # fmt: skip
RULES = {key: (rule, fits) for rule, fits, keys in TYPES for key in keys}


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
    if key in RULES:
        rule, fits = RULES[key]
        return ("" if fits(value) else rule), True
    if key in PAIRS:
        return _pair(value)
    return _number(key, value) if key in BITS or key in GROUPS else ("", False)


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
