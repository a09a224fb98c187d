"""The answer to an inverse question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ffncalc.inverse.goals import Target, Value, exact


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A value of the varied field, the FFN width and the value of the target that it gives."""

    field_value: int
    width: int
    value: Value

    def to_dict(self) -> dict[str, object]:
        """The candidate in JSON."""
        return {"field_value": self.field_value, "ffn_width": self.width, "value": exact(self.value)}


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The multiple of `multiple_of` whose value is nearest to the target, and its neighbours on both sides.

    `fields` are set together, to the same value. `continued` are the per-layer lists that were cut or continued.
    """

    target: Target
    fields: tuple[str, ...]
    multiple_of: int
    now: Candidate
    answer: Candidate
    below: Candidate | None
    above: Candidate | None
    rising: bool
    assignments: tuple[str, ...]
    continued: tuple[str, ...] = ()
    evaluations: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The `width` object of the JSON contract, solved."""
        return {
            "mode": "solve",
            "target": self.target.to_dict(),
            "fields": list(self.fields),
            "multiple_of": self.multiple_of,
            "now": self.now.to_dict(),
            "answer": self.answer.to_dict(),
            "below": self.below.to_dict() if self.below else None,
            "above": self.above.to_dict() if self.above else None,
            "rising": self.rising,
            "set": list(self.assignments),
            "continued": list(self.continued),
        }
