"""What a command hands to the formats: one entry per reference, and how a command's results look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from ffncalc.errors import FfncalcError
from ffncalc.ir import Model
from ffncalc.report.document import Section

SCHEMA_VERSION = 1

T = TypeVar("T")


class Format(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"


@dataclass(frozen=True, kw_only=True)
class Entry(Generic[T]):
    """The outcome for one reference: a result, or the error in its place.

    `base` is the result without the `changes` of --set. `fallback` marks a reference that nobody typed.
    """

    ref: str
    model: Model | None = None
    result: T | None = None
    base: T | None = None
    changes: tuple[str, ...] = ()
    fallback: str = ""
    error: FfncalcError | None = None

    def ok(self) -> tuple[Model, T]:
        """The model and its result, of an entry without error."""
        assert self.model is not None
        assert self.result is not None
        return self.model, self.result

    @property
    def origin(self) -> dict[str, Any]:
        """The `model` object of the JSON contract."""
        model = self.model
        if model is None:
            return dict.fromkeys(("ref", "source", "revision", "model_type", "architecture", "name")) | {
                "ref": self.ref
            }
        return {
            "ref": self.ref,
            "source": model.origin.source,
            "revision": model.origin.revision,
            "model_type": model.model_type,
            "architecture": model.architecture or None,
            "name": model.name,
        }


Payload = Callable[[Entry[T]], dict[str, Any]]


def flat_row(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested objects as one row: `{"a": {"b": 1}}` is `{"a_b": 1}`; lists are left out."""
    row: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping):
            row |= flat_row(value, f"{prefix}{key}_")
        elif not isinstance(value, list):
            row[prefix + key] = value
    return row


@dataclass(frozen=True, kw_only=True)
class Report(Generic[T]):
    """How the results of one command look: in JSON beside `model`, on a page, and as rows of a spreadsheet."""

    payload: Payload[T]
    document: Callable[[Sequence[Entry[T]]], list[Section]]
    rows: Callable[[Entry[T]], list[dict[str, Any]]]


@dataclass(frozen=True, kw_only=True)
class Screen:
    """Where a page is shown: `width` in cells (None: as wide as it needs), colours or not, ASCII only or not."""

    width: int | None = None
    terminal: bool = False
    color: bool = False
    ascii: bool = False
