"""The class in `architectures` belongs to another model type.

Some loaders go by the class, others by the type, and each builds a different model.

Bad: {"architectures": ["MistralForCausalLM"]}
Good: {"architectures": ["LlamaForCausalLM"]}
Source: transformers goes by model_type, vLLM and SGLang by architectures
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.architectures import MODULES
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import classes
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    named = subject.raw.get("model_type")
    owner = classes.owner(subject.raw)
    if not isinstance(named, str) or not owner or subject.raw.get("auto_map"):
        return
    kind, stem = classes.plain(named), classes.stem(classes.first(subject.raw))
    if stem in kind or kind in stem or _same(named, owner):
        return
    if len(named) > 60:
        named = shown(named)
    yield Fault(
        "architectures",
        f"{classes.first(subject.raw)} is a class of {owner}, but model_type is {named}",
        f'Write "model_type": "{owner}", or the class of {named}.',
        also=("model_type",),
    )


def _same(named: str, owner: str) -> bool:
    """Whether two types are one model under two names, as Kimi K2 and DeepSeek-V3 are."""
    home = MODULES.get(named)
    return home is not None and home == MODULES.get(owner) and home not in ("dense", "moe")
