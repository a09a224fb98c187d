"""What the class in `architectures` says about the model type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ffncalc.architectures import MODULES
from ffncalc.checks import known
from ffncalc.checks.subject import Subject

ENDINGS = re.compile(
    r"(ForCausalLM.*|ForConditionalGeneration.*|LMHeadModel|DoubleHeadsModel|ForMaskedLM|ForPreTraining|PreTrainedModel"
    r"|For[A-Z]\w*|EncoderModel|MTModel|Model|LM|Moe|MoE)$"
)


def first(raw: Mapping[str, Any]) -> str:
    """The first class named in `architectures`, or ""."""
    names = raw.get("architectures")
    return names[0] if isinstance(names, list) and names and isinstance(names[0], str) else ""


def stem(name: str) -> str:
    """A class or type without its ending and its separators: LlamaForCausalLM and llama are both `llama`."""
    return plain(ENDINGS.sub("", name))


def plain(name: str) -> str:
    """Small letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def _owners() -> dict[str, str]:
    names = sorted(known.model_types() | MODULES.keys(), key=lambda name: (name in MODULES, name))
    return {plain(name): name for name in names}


def owner(raw: Mapping[str, Any]) -> str:
    """The model type that the class belongs to, "" where its name does not tell."""
    found = stem(first(raw))
    return _owners().get(found, "") if found else ""


def fits(raw: Mapping[str, Any], model_type: str) -> bool:
    """Whether the class is named after the type."""
    own, kind = stem(first(raw)), plain(model_type)
    return bool(own) and (own in kind or kind in own) and owner(raw) in ("", model_type)


def is_own(subject: Subject) -> bool:
    """Whether the model is its own: its code comes with it, for a type that transformers does not have."""
    return bool(subject.raw.get("auto_map")) and subject.raw.get("model_type") not in known.model_types()


@cache
def names() -> frozenset[str]:
    """Every class that transformers loads."""
    return frozenset(known.classes().values())
