"""A rope setting with two types, a factor below 1, bounds in the wrong order, or lists that do not fit a head.

A head is rotated in pairs of values: longrope has a factor for each pair, and the sections of mrope share them out.
Loaders warn, and scale wrongly or fail at the first token.

Bad: {"rope_scaling": {"rope_type": "linear", "factor": 0.5}}
Good: {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}
Source: transformers, modeling_rope_utils.py and apply_multimodal_rotary_pos_emb
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.rules.claims.c002_rope_scaling_contradicts_context import kind_of, scalings
from ffncalc.checks.rules.structure.rotary import shares
from ffncalc.checks.subject import Part, Subject, shown

SEVERITY = Severity.WARNING
ALIKE = ({"default", "mrope"}, {"longrope", "su"})  # an older and a newer name, which loaders write side by side
SCALING = ("deepseek_yarn", "dynamic", "linear", "llama-3", "llama3", "longrope", "su", "yarn")
BOUNDS = (("low_freq_factor", "high_freq_factor"), ("beta_slow", "beta_fast"))
LISTS = ("short_factor", "long_factor")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        for field, table in scalings(part):
            yield from _types(field, table)
            yield from _factor(field, table)
            yield from _bounds(field, table)
            pairs = _pairs(part, table)
            for key in LISTS if kind_of(table) in ("longrope", "su") else ():
                yield from _list(f"{field}.{key}", table.get(key), pairs)
            yield from _sections(f"{field}.mrope_section", table.get("mrope_section"), pairs)


def _types(field: str, table: Mapping[str, Any]) -> Iterator[Fault]:
    new, old = table.get("rope_type"), table.get("type")
    if isinstance(new, str) and isinstance(old, str) and new != old and {new, old} not in ALIKE:
        also = (f"{field}.rope_type",)
        yield Fault(
            f"{field}.type", f"type is {shown(old)}, but rope_type is {shown(new)}", "Keep rope_type only.", also=also
        )


def _factor(field: str, table: Mapping[str, Any]) -> Iterator[Fault]:
    factor = table.get("factor")
    if factor is None or kind_of(table) not in SCALING:
        return
    at = f"{field}.factor"
    if not _is_number(factor):
        yield Fault(at, f"{at} {shown(factor)} is no number", "Write longest context / original context.")
    elif not factor >= 1:
        yield Fault(at, f"{at} {factor} is below 1", "Write longest context / original context, not its inverse.")


def _bounds(field: str, table: Mapping[str, Any]) -> Iterator[Fault]:
    for low, high in BOUNDS:
        first, second = table.get(low), table.get(high)
        if _is_number(first) and _is_number(second) and first > second:  # published files have equal ones
            at = f"{field}.{high}"
            yield Fault(at, f"{high} {second} is below {low} {first}", "Swap them?", also=(f"{field}.{low}",))


def _list(at: str, value: object, pairs: int | None) -> Iterator[Fault]:
    if value is None:  # C006 says that it is missing
        return
    if not isinstance(value, list):
        yield Fault(at, f"{at} must be a list of numbers, got {shown(value)}"[:160])
        return
    wrong = next((i for i, each in enumerate(value) if not _is_number(each)), None)
    if wrong is not None:
        yield Fault(f"{at}[{wrong}]", f"{at}[{wrong}] {shown(value[wrong])} is no number"[:160])
    elif pairs is not None and len(value) != pairs:
        yield Fault(at, f"{at} has {len(value)} entries, but {pairs} pairs of a head are rotated")


def _sections(at: str, value: object, pairs: int | None) -> Iterator[Fault]:
    if value is None:
        return
    if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value):
        yield Fault(at, f"{at} must be a list of integers, got {shown(value)}"[:160])
    elif pairs is not None and sum(value) != pairs:
        yield Fault(at, f"{at} adds up to {sum(value)}, but {pairs} pairs of a head are rotated")


def _pairs(part: Part, table: Mapping[str, Any]) -> int | None:
    """How many pairs of values of a head are rotated; None where the file does not tell."""
    own = part.size("qk_rope_head_dim") or part.size("rotary_dim")
    if own is not None:
        return own // 2
    width, heads = part.size("hidden_size"), part.size("num_attention_heads")
    dim = part.size("head_dim") or (width // heads if width and heads else None)
    given = table.get("partial_rotary_factor")
    found = {float(given)} if _is_number(given) else {share.value for share in shares(part)}
    return int(dim * found.pop()) // 2 if dim is not None and len(found) == 1 else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
