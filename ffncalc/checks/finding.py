"""What a check reports: a fault as a rule states it, and the finding that a person or a machine reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is: an error breaks the model or its use, a warning may, an info is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """3 for errors, 1 for infos."""
        return {"error": 3, "warning": 2, "info": 1}[self.value]


@dataclass(frozen=True, slots=True)
class Fault:
    """What a rule found: the field as the file spells it (`text_config.layer_types[3]`, "" for the whole file).

    `hint` says what to write. `severity` is given where it is not the rule's own; `also` names further fields that
    take part; `place` is (line, column) where the field cannot tell it.
    """

    field: str
    message: str
    hint: str = ""
    severity: Severity | None = None
    also: tuple[str, ...] = ()
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault with its rule and its place; lines and columns count from 1, in characters."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    name: str
    severity: Severity
    field: str
    message: str
    hint: str

    def to_dict(self) -> dict[str, object]:
        """An element of `findings` of the JSON contract."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "rule": self.code,
            "name": self.name,
            "severity": self.severity.value,
            "field": self.field,
            "message": self.message,
            "hint": self.hint,
        }
