"""One size is given twice, with two values.

Two spellings of a field disagree, or the file and the config nested in it; who reads which depends on the loader.

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
SHARED = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        yield from _spellings(part)
    outer = next((part for part in subject.text if not part.prefix), None)
    for inner in (part for part in subject.text if part.prefix and outer is not None):
        yield from _nested(outer, inner)


def _spellings(part: Part) -> Iterator[Fault]:
    for field in ("hidden_size", "num_hidden_layers", "num_attention_heads"):
        keys = [key for key in (field, *known.SPELLINGS[field]) if whole(part.raw.get(key), 1)]
        values = {whole(part.raw[key], 1) for key in keys}
        if len(values) > 1 and not {"num_layers", "num_heads"} & set(keys[1:]):
            listed = ", ".join(f"{key} {part.raw[key]}" for key in keys)
            at = part.prefix + keys[-1]
            yield Fault(at, f"one size under several names: {listed}", f"Keep {keys[0]} only.", also=(keys[0],))


def _nested(outer: Part | None, inner: Part) -> Iterator[Fault]:
    assert outer is not None
    for field in SHARED:
        out, own = whole(outer.given(field), 1), whole(inner.given(field), 1)
        if out is not None and own is not None and out != own:
            yield Fault(
                inner.at(field),
                f"{inner.at(field)} is {own}, but {outer.at(field)} outside is {out}",
                "Keep the one inside only: it is what the language model is built from.",
                also=(outer.at(field),),
            )
