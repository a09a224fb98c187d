"""A rope setting of no type or an unknown one, or one that lacks what its type needs.

Loaders fail on it, or fall back on plain rotary embeddings without a word.

Bad: {"rope_scaling": {"rope_type": "yarn", "factor": null}}
Good: {"rope_scaling": {"rope_type": "yarn", "factor": 16.0}}
Source: transformers, modeling_rope_utils.py
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.claims.c002_rope_scaling_contradicts_context import kind_of, scalings
from ffncalc.checks.subject import Subject, shown
from ffncalc.errors import nearest

SEVERITY = Severity.WARNING
NEEDS: dict[str, tuple[str, ...]] = {
    "default": (),
    "deepseek_llama_scaling": (),
    "deepseek_yarn": ("factor",),
    "dynamic": ("factor|alpha",),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
    "llama-3": ("factor",),
    "longrope": ("short_factor", "long_factor"),
    "mllama": (),
    "mrope": ("mrope_section",),
    "none": (),
    "ntk": (),
    "proportional": (),
    "su": ("short_factor", "long_factor"),
    "xdrope": (),
    "yarn": ("factor",),
}
SCALES = ("factor", "alpha", "short_factor", "long_factor", "low_freq_factor", "high_freq_factor", "beta_fast")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        for field, table in scalings(part):
            kind = kind_of(table)
            if kind is None:
                if any(table.get(key) is not None for key in SCALES):
                    yield Fault(
                        field, f"{field} names no rope_type, so nothing is scaled", "Add the type: yarn, linear …"
                    )
                continue
            if not isinstance(kind, str) or kind not in NEEDS:
                near = nearest(kind, NEEDS) if isinstance(kind, str) else []
                at = f"{field}.{'rope_type' if 'rope_type' in table else 'type'}"
                hint = f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(NEEDS)}."
                yield Fault(at, f"{shown(kind)} is no known kind of rotary embedding", hint)
                continue
            lacking = [need for need in NEEDS[kind] if not any(table.get(name) is not None for name in need.split("|"))]
            if lacking:
                yield Fault(field, f"{field} of type {kind} lacks {', '.join(lacking)}", "Add it.")
