"""A class in `architectures` that looks misspelt: its ending, or the name of the model type in it.

Engines that pick the model by the class refuse the file; a loader that goes by model_type never looks at it.

Bad: {"architectures": ["LlamaForCasualLM"]}
Good: {"architectures": ["LlamaForCausalLM"]}
Source: transformers, models/auto/modeling_auto.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import classes
from ffncalc.checks.subject import Subject, shown

SEVERITY = Severity.WARNING
ENDINGS = (
    "ForCausalLM", "ForConditionalGeneration", "ForMaskedLM", "ForMultipleChoice", "ForNextSentencePrediction",
    "ForPreTraining", "ForQuestionAnswering", "ForSequenceClassification", "ForTokenClassification",
)  # fmt: skip


def check(subject: Subject) -> Iterator[Fault]:
    name, named = classes.first(subject.raw), subject.raw.get("model_type")
    if not isinstance(named, str) or classes.is_own(subject) or len(name) > 200 or name in classes.names():
        return
    ending = re.search(r"For[A-Za-z]\w*$", name)
    meant = _ending(ending[0]) if ending else ""
    if whole := _whole(name):
        yield _fault(name, f"Did you mean {whole}?")
    elif ending and meant:
        yield _fault(name, f"Did you mean {name[: ending.start()]}{meant}?")
    elif not classes.owner(subject.raw) and _near(classes.stem(name), classes.plain(named)):
        yield _fault(name, f"Write the class of {named}.")


def _whole(name: str) -> str:
    """The class of transformers that one is a misspelling of: by spaces, in one letter or in its case; or ""."""
    bare = name.strip()
    if bare in classes.names():
        return bare
    same = known.classes().get(bare.lower())
    if same is not None:
        return "" if _published(bare, same) else same
    if bare.startswith(tuple(classes.names())):
        return ""
    digits = re.findall(r"\d", bare)
    near = (each for each in sorted(classes.names()) if each[:4] == bare[:4] and each.endswith(("Model", "LM")))
    alike = (each for each in near if re.findall(r"\d", each) == digits)
    return next((each for each in alike if known.distance(bare, each, 1) <= 1), "")


def _published(name: str, same: str) -> bool:
    """Whether a class with other capitals is one of the model's own code, as MPTForCausalLM and PhiMoEForCausalLM."""
    own, stem = classes.ENDINGS.sub("", name), classes.ENDINGS.sub("", same)
    changed = sum(a != b for a, b in zip(own, stem, strict=False))
    return len(own) == len(stem) and own[:1].isupper() and (changed > 1 or "MoE" in own)


def _fault(name: str, hint: str) -> Fault:
    return Fault("architectures", f"{shown(name)} looks misspelt: no class has this name", hint)


def _ending(found: str) -> str:
    """The usual ending that another one is a misspelling of, or ""; a longer one is a class of its own."""
    if found.startswith(ENDINGS):
        return ""
    return next((each for each in ENDINGS if known.distance(found.lower(), each.lower(), 2) <= 2), "")


def _near(stem: str, kind: str) -> bool:
    """Whether two names differ by a letter or two; those with other digits are another generation."""
    if kind.startswith(stem) or stem.startswith(kind) or re.findall(r"\d", stem) != re.findall(r"\d", kind):
        return False
    limit = 1 if len(kind) < 8 else 2
    return known.distance(stem, kind, limit) <= limit
