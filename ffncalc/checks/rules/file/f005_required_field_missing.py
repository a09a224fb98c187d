"""A size that the model cannot do without is missing.

No default fits: loaders take that of the class, which is the size of some other model, or fail.

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


def _elsewhere(subject: Subject, field: str) -> bool:
    """Whether a language model is in the file all the same: nested where it should not be, or the other way round."""
    if field in NESTED:
        return subject.main.given("hidden_size") is not None
    return subject.main.prefix != "" and subject.main.given(field) is not None and "." not in field
