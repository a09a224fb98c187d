"""A size that the model cannot do without is missing.

No default fits: loaders take that of the class, which is the size of some other model, or fail. Inside a composite
the class default is right in many published files, which leave out what equals it: an info there, and a warning where
a width or depth is given and another is not.

Bad: without hidden_size
Good: {"hidden_size": 4096}
Source: transformers configuration classes, whose defaults describe one model of the family
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.file import sizes
from ffncalc.checks.subject import NESTED, Subject

SEVERITY = Severity.ERROR
MAIN = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")
SHAPE = frozenset({"hidden_size", "num_hidden_layers", "num_attention_heads"})  # all are left out, or none
ALONE = frozenset({"hidden_size", "num_hidden_layers", "intermediate_size"})  # never left out beside the others


def check(subject: Subject) -> Iterator[Fault]:
    looked_at = known.unknown(subject.raw, subject.model_type)[: known.COMPARED]
    for trouble in subject.troubles:
        if not trouble.message.startswith("missing") or trouble.field == "model_type":
            continue
        name = trouble.field.rpartition(".")[2]
        near = [key for key in looked_at if name in known.near(key, subject.model_type)]
        what = "the config of this part" if name in sizes.PARTS or name in NESTED else "the size that the weights have"
        hint = f"Is {near[0]!r} meant to be it?" if near else f"Write {what}."
        severity = Severity.WARNING if _elsewhere(subject, trouble.field) else None
        null = any(part.prefix + name == trouble.field and name in part.raw for part in subject.text)
        message = f"{trouble.field} is {trouble.message.replace('missing', 'null') if null else trouble.message}"
        if severity:
            hint = "The sizes of a language model are there, but not where this model_type has them."
        yield Fault(trouble.field, message, hint, severity=severity, also=tuple(near))
    if subject.model is not None:
        yield from _taken(subject, dict(subject.model.defaults))


def _elsewhere(subject: Subject, field: str) -> bool:
    """Whether a language model is in the file all the same: nested where it should not be, or the other way round."""
    if field in NESTED:
        return subject.main.given("hidden_size") is not None
    return subject.main.prefix != "" and subject.main.given(field) is not None and "." not in field


def _taken(subject: Subject, defaults: dict[str, object]) -> Iterator[Fault]:
    """Sizes that a nested language model has from its class."""
    for part in (each for each in subject.text if each.prefix):
        missing = [field for field in MAIN if part.prefix + field in defaults]
        if not missing:
            continue
        given = any(part.given(field) is not None for field in SHAPE)
        listed = ", ".join(f"{field} {defaults[part.prefix + field]}" for field in missing)
        yield Fault(
            part.prefix + next((field for field in missing if field in ALONE), missing[0]),
            f"sizes are not in {part.prefix.rstrip('.')}, and those of the class {part.model_type} are taken: {listed}",
            "Write the sizes that the weights have.",
            severity=Severity.WARNING if given and ALONE & set(missing) else Severity.INFO,
        )
