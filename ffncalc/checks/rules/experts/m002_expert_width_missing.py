"""There are experts, but no width for them.

Loaders take the default of the class, which is the width of another model.

Base: Qwen/Qwen3-30B-A3B
Bad: {"moe_intermediate_size": null}
Good: {"moe_intermediate_size": 768}
Source: the modelling code of each family in transformers
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.checks.finding import Fault, Severity
from ffncalc.checks.subject import Subject

SEVERITY = Severity.ERROR


def check(subject: Subject) -> Iterator[Fault]:
    for part in subject.text:
        if part.family is None or "moe_intermediate_size" not in part.family.fields():
            continue
        own = "moe_intermediate_size" in part.defaults or part.key("moe_intermediate_size") is not None
        if own and part.count("num_experts") and part.get("moe_intermediate_size") is None and _read(subject):
            at = part.at("moe_intermediate_size")
            yield Fault(
                at, f"{at} is null, but there are {part.count('num_experts')} experts", "Write the width of one expert."
            )


def _read(subject: Subject) -> bool:
    """Whether the family reads the field: it fails without it."""
    return any(trouble.field.endswith("moe_intermediate_size") for trouble in subject.troubles)
