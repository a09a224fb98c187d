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
    if not isinstance(named, str) or subject.raw.get("auto_map") or len(name) > 200:
        return
    ending = re.search(r"For[A-Za-z]\w*$", name)
    meant = _ending(ending[0]) if ending else ""
    if ending and meant:
        yield _fault(name, f"Did you mean {name[: ending.start()]}{meant}?")
    elif not classes.owner(subject.raw) and _near(classes.stem(name), classes.plain(named)):
        yield _fault(name, f"Write the class of {named}.")


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
