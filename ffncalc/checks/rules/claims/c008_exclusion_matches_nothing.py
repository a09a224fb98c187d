"""A module that is to stay unquantised is not in the model.

It was meant to be excluded, so its weights are taken for what they are not. An info where other
entries of the list are in the model.

Bad: {"quantization_config": {"quant_method": "fp8", "modules_to_not_convert": ["lm_haed"]}}
Good: {"quantization_config": {"quant_method": "fp8", "modules_to_not_convert": ["lm_head"]}}
Source: transformers, quantizers/quantizers_utils.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.quantisation import quantisations
from ffncalc.checks.subject import Subject, shown
from ffncalc.ir import Model

SEVERITY = Severity.WARNING
LISTS = ("modules_to_not_convert", "ignored_layers", "llm_int8_skip_modules")
APART = {"mtp", "model", "visual", "vision"}  # modules that a count leaves out, or that have other names in memory


def check(subject: Subject) -> Iterator[Fault]:
    if subject.model is None:
        return
    words: frozenset[str] | None = None
    for each in quantisations(subject.raw):
        for key in LISTS:
            listed = each.table.get(key)
            if not isinstance(listed, list):
                continue
            words = words or _words(subject.model)
            wrong = [(i, name) for i, name in enumerate(listed) if isinstance(name, str) and not _matches(name, words)]
            if wrong:
                i, name = wrong[0]
                yield Fault(
                    f"{each.field}.{key}[{i}]",
                    f"no module of the model is called {shown(name)}",
                    "Write a name that the weights have.",
                    severity=None if len(wrong) == len(listed) else Severity.INFO,
                )


def _matches(name: str, words: frozenset[str]) -> bool:
    """Whether a name, without layer numbers, is in the model; patterns are taken to be."""
    parts = [part for part in name.split(".") if not part.isdecimal()]
    if not parts or not re.fullmatch(r"[\w.]+", name) or parts[0] in APART - {"model"}:
        return True
    return any(parts[-1] in word for word in words)


def _words(model: Model) -> frozenset[str]:
    """Every part of the names of all tensors and buffers."""
    blocks = (*model.blocks, *model.mtp)
    parts = [(block, part) for block in blocks for part in block.parts]
    names = {block.named(part, tensor) for block, part in parts for tensor in (*part.weights, *part.buffers())}
    return frozenset({word for name in names for word in name.split(".")} | APART)
