"""Factor × original length is not the context that the file claims.

For yarn, linear and dynamic scaling the product is the longest context. Llama 3's own type differs on purpose: factor
8 over 8,192 gives 131,072.

Base: deepseek-ai/DeepSeek-V3
Bad: {"max_position_embeddings": 32768}
Good: {"max_position_embeddings": 163840}
Source: https://arxiv.org/abs/2309.00071
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Part, Subject, whole

SEVERITY = Severity.WARNING
KINDS = ("yarn", "linear", "dynamic")


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        for field, table in scalings(part):
            factor, original = _factor(table), whole(table.get("original_max_position_embeddings"), 1)
            longest, other = part.size("max_position_embeddings"), part.at("max_position_embeddings")
            if kind_of(table) not in KINDS or original is None or longest is None or factor is None:
                continue
            product = factor * original
            if abs(product - longest) > 0.02 * product and longest != original:
                yield Fault(
                    field,
                    f"factor {factor} × {original} is {product:,.0f}, but {other} is {longest:,}",
                    f"Write a factor of {longest / original:g}, or {product:,.0f} positions.",
                    also=(other,),
                )


def scalings(part: Part) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(field, table) of every rope setting; newer files nest one per kind of layer."""
    for key in ("rope_scaling", "rope_parameters"):
        table = part.raw.get(key)
        if not isinstance(table, Mapping):
            continue
        inner = {name: value for name, value in table.items() if isinstance(value, Mapping)}
        if inner:
            yield from ((f"{part.prefix}{key}.{name}", value) for name, value in inner.items())
        else:
            yield part.prefix + key, table


def kind_of(table: Mapping[str, Any]) -> object:
    """The type of a rope setting under either of its names."""
    return table.get("rope_type", table.get("type"))


def _factor(table: Mapping[str, Any]) -> float | None:
    value = table.get("factor")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 < value < 10**6 else None
