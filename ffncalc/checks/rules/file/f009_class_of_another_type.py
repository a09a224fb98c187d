"""The class in `architectures` belongs to another model type.

Some loaders go by the class, others by the type, and each builds a different model. An info where nobody is known to
have the class.

Bad: {"architectures": ["MistralForCausalLM"]}
Good: {"architectures": ["LlamaForCausalLM"]}
Source: transformers goes by model_type, vLLM and SGLang by architectures
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.architectures import MODULES
from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import classes, f014_misspelt_class
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.WARNING


def check(subject: Subject) -> Iterator[Fault]:
    named, name = subject.raw.get("model_type"), classes.first(subject.raw)
    owner = classes.owner(subject.raw)
    if not isinstance(named, str) or not name or classes.is_own(subject):
        return
    kind, stem = classes.plain(named), classes.stem(name)
    if (stem and (stem in kind or kind in stem)) or _same(named, owner):
        return
    if not owner:
        if _is_unknown(subject, name, named):
            message = f"{shown(name)} is no class that is known, and is not named after {named}"
            yield Fault("architectures", message, f"Write the class of {named}.", severity=Severity.INFO)
        return
    if len(named) > 60:
        named = shown(named)
    yield Fault(
        "architectures",
        f"{name} is a class of {owner}, but model_type is {named}",
        f'Write "model_type": "{owner}", or the class of {named}.',
        also=("model_type",),
    )


def _is_unknown(subject: Subject, name: str, model_type: str) -> bool:
    """Whether nobody has the class of a type that transformers has; F014 has to do with misspelt ones."""
    ours = model_type in known.model_types() and not subject.raw.get("auto_map")
    return ours and name not in classes.names() and not any(f014_misspelt_class.check(subject))


def _same(named: str, owner: str) -> bool:
    """Whether two types are one model under two names, as Kimi K2 and DeepSeek-V3 are."""
    home = MODULES.get(named)
    return home is not None and home == MODULES.get(owner) and home not in ("dense", "moe")
