"""One size is given twice, with two values.

Two spellings of a field disagree, or the file and the config nested in it; who reads which depends on the loader.
A warning where some family has the second key for something else.

Bad: {"n_embd": 2048}
Good: {"n_embd": 4096}
Source: transformers maps the spellings of a field to one attribute, where the last one written counts
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks import known
from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject, whole

SEVERITY = Severity.ERROR
SPELT = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_experts", "num_experts_per_tok")
LOOSELY_SPELT = ("num_key_value_heads", "intermediate_size")
LOOSE = frozenset({"num_layers", "num_heads"})  # of an encoder, of a mixer in some families
SHARED = (
    "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size",
    "moe_intermediate_size", "num_experts", "num_experts_per_tok",
)  # fmt: skip
LOOSELY_SHARED = ("vocab_size", "max_position_embeddings", "sliding_window")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        yield from _spellings(part)
    outer = Part(subject.translated, "", subject.model_type)
    for inner in (part for part in subject.text if part.prefix):
        yield from _nested(outer, inner)


def _spellings(part: Part) -> Iterator[Fault]:
    for field in (*SPELT, *LOOSELY_SPELT):
        own = set() if part.family is None else LOOSE & part.family.fields().keys()
        names = (name for name in (field, *known.SPELLINGS[field]) if name not in own)
        keys = [key for key in names if whole(part.raw.get(key), 1)]
        values = {whole(part.raw[key], 1) for key in keys}
        if len(values) > 1:
            listed = ", ".join(f"{key} {part.raw[key]}" for key in keys)
            kept = key if (key := part.key(field)) in keys else keys[0]
            other = next(key for key in reversed(keys) if key != kept)
            severity = Severity.WARNING if field in LOOSELY_SPELT or other in LOOSE else None
            message, hint = f"one size under several names: {listed}", f"Keep {kept} only."
            yield Fault(part.prefix + other, message, hint, severity=severity, also=(part.prefix + kept,))


def _nested(outer: Part, inner: Part) -> Iterator[Fault]:
    for field in (*SHARED, *LOOSELY_SHARED):
        out, own = whole(outer.given(field), 1), whole(inner.given(field), 1)
        if out is not None and own is not None and out != own:
            yield Fault(
                inner.at(field),
                f"{inner.at(field)} is {own}, but {outer.at(field)} outside is {out}",
                "Keep the one inside only: it is what the language model is built from.",
                severity=Severity.WARNING if field in LOOSELY_SHARED else None,
                also=(outer.at(field),),
            )
