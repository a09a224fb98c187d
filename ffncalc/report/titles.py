"""Parts that pages of all commands share: the title of a model, its notes, the note on changes."""

from __future__ import annotations

from typing import Any

from ffncalc.report.document import Facts
from ffncalc.report.entry import Entry


def title(entry: Entry[Any]) -> str:
    """The model, and what was changed in it."""
    name = "stdin" if entry.ref == "-" else entry.ref
    return f"{name} with {', '.join(entry.changes)}" if entry.changes else name


def subtitle(entry: Entry[Any], *more: str) -> str:
    """Its class or type, where its config came from, and why it was chosen where nobody named it."""
    model, _ = entry.ok()
    origin = "" if str(model.origin) == entry.ref else str(model.origin)
    kind = model.architecture or f"model type {model.model_type}"
    return " · ".join(filter(None, (kind, f"config: {origin}" if origin else "", entry.fallback, *more)))


def notes(entry: Entry[Any]) -> tuple[Facts, ...]:
    """What is odd about the model, in its own words."""
    model, _ = entry.ok()
    return (Facts(tuple(("note", note) for note in model.notes)),) if model.notes else ()
