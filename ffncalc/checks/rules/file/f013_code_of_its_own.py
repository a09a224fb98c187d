"""The model brings Python code (`auto_map`).

Loaders run it when told to trust it. Nothing of it is run or read here: counts follow the model type.

Bad: {"auto_map": {"AutoModelForCausalLM": "modeling_custom.CustomForCausalLM"}}
Good: without auto_map
Source: https://huggingface.co/docs/transformers/custom_models
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.INFO


def check(subject: Subject) -> Iterator[Fault]:
    if subject.raw.get("auto_map"):
        yield Fault("auto_map", "the model has code of its own, which is neither run nor read here")
