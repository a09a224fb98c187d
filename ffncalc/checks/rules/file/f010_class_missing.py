"""No class is named in `architectures`.

Engines that pick the model by it refuse the file; others take the causal language model of the type.

Bad: without architectures
Good: {"architectures": ["LlamaForCausalLM"]}
Source: vLLM and SGLang look models up by architectures
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.INFO


def check(subject: Subject) -> Iterator[Fault]:
    if subject.model_type and not subject.raw.get("architectures") and subject.translated is subject.raw:
        yield Fault(
            "architectures",
            "architectures names no class",
            'Write the class that the weights belong to, such as ["LlamaForCausalLM"].',
        )
