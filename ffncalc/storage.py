"""What a config says about how its weights are stored: their number format, and a quantisation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

DTYPE_KEYS = ("dtype", "torch_dtype")
QUANTIZATION_KEYS = ("quantization_config", "compression_config", "quantization")
PARTS = ("text_config", "llm_config", "language_config", "thinker_config", "decoder")


@dataclass(frozen=True, kw_only=True)
class Storage:
    """`dtype` as the file spells it and the key that it stands under, and the raw quantisation with its key.

    Both keys are dotted where they stand in a nested config; "" where there is none. A `quantization_config` that is no
    object is kept as it is: what needs it must refuse it. `expert_dtype` is the format of
    the routed experts, where the file gives them one of their own.
    """

    dtype: str = ""
    dtype_key: str = ""
    quantization: Any = field(default_factory=dict)
    quantization_key: str = ""
    expert_dtype: str = ""


NOWHERE = Storage()


def storage_of(raw: Mapping[str, Any]) -> Storage:
    """What `raw` says; the outer config before the language model inside it."""
    dtype_key, dtype = _first(raw, DTYPE_KEYS, str)
    key, quantization = _first(raw, QUANTIZATION_KEYS, Mapping)
    if quantization is None:
        key, quantization = _first(raw, QUANTIZATION_KEYS[:1], object)
    _, expert_dtype = _first(raw, ("expert_dtype",), str)
    return Storage(
        dtype=dtype or "",
        dtype_key=dtype_key,
        quantization=quantization or {},
        quantization_key=key,
        expert_dtype=expert_dtype or "",
    )


def _first(raw: Mapping[str, Any], keys: tuple[str, ...], kind: type[Any]) -> tuple[str, Any]:
    """The first of `keys` that holds a value of that kind, with its dotted name."""
    for prefix, part in _parts(raw, ""):
        for key in keys:
            if isinstance(part.get(key), kind) and part.get(key):
                return prefix + key, part[key]
    return "", None


def _parts(raw: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield prefix, raw
    for key in PARTS:
        if isinstance(raw.get(key), Mapping):
            yield from _parts(raw[key], f"{prefix}{key}.")
