"""A quantisation of a method that nobody knows, or without one.

The bytes of the weights cannot be told, and loaders refuse the file.

Bad: {"quantization_config": {"quant_method": "gptx", "bits": 4}}
Good: {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}
Source: transformers, quantizers/auto.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.quantisation import METHODS, quantisations
from ffncalc.checks.subject import Subject
from ffncalc.errors import nearest, shown

SEVERITY = Severity.WARNING
WRITE = "Write the method that the weights were quantised with."


def check(subject: Subject) -> Iterator[Fault]:
    found = tuple(quantisations(subject.raw))
    fields = {each.field for each in found}
    for each in found:
        named = each.method or each.table.get("quant_method")  # a name that is no text is a fault of its own
        if each.field.endswith("quantization_config") and not named:
            twice = each.field.removesuffix("_config") in fields
            if not twice and not _implied(each.table):
                yield Fault(each.field, f"{each.field} names no quant_method", WRITE)
        elif each.method and each.method not in METHODS and "quant_method" in each.table:
            near = nearest(each.method, METHODS)
            hint = f"Did you mean {near[0]!r}?" if near else WRITE
            yield Fault(f"{each.field}.quant_method", f"quant_method {shown(each.method)} is not known"[:120], hint)


def _implied(table: Mapping[str, Any]) -> bool:
    """Whether a table without a method is that of bitsandbytes, compressed-tensors or MLX.

    MLX writes its table twice, as `quantization` and as `quantization_config`, and a `mode` in newer files.
    """
    return any(table.get(key) for key in ("load_in_4bit", "load_in_8bit", "config_groups", "mode"))
