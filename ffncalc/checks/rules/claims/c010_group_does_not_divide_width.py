"""The group of a quantisation does not divide the inputs of a matrix; an error for AWQ and GPTQ, else a warning.

A scale belongs to a whole group, and the last group would be cut short: engines refuse AWQ and GPTQ on any number of
ranks, others pad or fail. Blocks of fp8, which loaders pad, are left alone, and so is MLX, which packs no such matrix.

Bad: {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 100}}
Good: {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
Source: vLLM, model_executor/layers/quantization/awq.py and gptq.py
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from ffncalc.analysis.formats import Format
from ffncalc.analysis.quantization import scheme_of
from ffncalc.analysis.weights import weights
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.quantisation import quantisations
from ffncalc.checks.subject import Subject
from ffncalc.errors import ConfigError
from ffncalc.formula import labels

SEVERITY = Severity.WARNING
REFUSED = ("awq", "gptq")
BITS = 16  # of what is not packed; no layout of groups depends on it


def check(subject: Subject) -> Iterator[Fault]:
    if subject.model is None:
        return
    try:
        scheme = scheme_of(subject.model.storage, BITS)
    except ConfigError:  # other rules say what is wrong with it
        return
    if scheme is None or scheme.method == "mlx":
        return
    seen: set[tuple[int, int]] = set()
    for weight in weights(subject.model.blocks, BITS, scheme):
        inputs = int(weight.tensor.shape[-1]) if weight.format else 0
        for group in _groups(weight.format) if weight.format else ():
            if inputs % group and (inputs, group) not in seen:
                seen.add((inputs, group))
                names = labels(weight.tensor.shape[-1])
                at, place = names[-1] if names else "", _place(subject, group)
                module = weight.name.removesuffix(".weight").rpartition(".")[2]
                yield Fault(
                    at or place,
                    f"the {inputs} inputs of {module} ({', '.join(names)}) are no multiple of the {group} of {place}",
                    _hint(gcd(inputs, 128)),
                    severity=Severity.ERROR if scheme.method in REFUSED else None,
                    also=(place,),
                )


def _hint(group: int) -> str:
    return f"A group of {group} divides them." if group >= 16 else "No power of two from 16 on divides them."


def _groups(form: Format) -> set[int]:
    """How many inputs of a row share a scale."""
    return {scales.columns for scales in form.scales if scales.rows == 1 and scales.columns > 1 and not form.flat}


def _place(subject: Subject, group: int) -> str:
    """The field that says a group, or the quantisation as a whole."""
    found = list(quantisations(subject.raw))
    return next((each.block_field for each in found if each.block == group), found[0].field if found else "")
