"""There are experts, but no width for them.

A family whose class has no default cannot tell it from anything else; null stands for no width in every family. A
warning where the class has a default: it is the width of one model of the family, seldom of this one.

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
        at, experts = part.at("moe_intermediate_size"), part.count("num_experts")
        if not experts or part.given("moe_intermediate_size") is not None:
            continue
        absent = part.key("moe_intermediate_size") is None
        message = f"{at} is {'missing' if absent else 'null'}, but there are {experts} experts"
        if _needed(subject, at):
            yield Fault(at, message, "Write the width of one expert.")
        elif absent and (default := part.defaults.get("moe_intermediate_size")):
            hint = f"Write the width of one expert; the class takes {default}."
            yield Fault(at, message, hint, severity=Severity.WARNING)


def _needed(subject: Subject, field: str) -> bool:
    """Whether the family fails without the width: it has no default, and no other field that tells it."""
    return any(trouble.field == field for trouble in subject.troubles)
