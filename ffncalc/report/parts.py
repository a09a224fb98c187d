"""Layers, tensors and derivations on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ffncalc.analysis.derivation import Chapter
from ffncalc.analysis.explain import Explanation, Key
from ffncalc.analysis.layers import Kind
from ffncalc.analysis.tensors import Stored
from ffncalc.ir import CATEGORIES
from ffncalc.report.document import Column, Lines, Row, Table
from ffncalc.report.numbers import grouped, runs, short

NAMES = {"ffn": "FFN"}


def layers(kinds: Sequence[Kind]) -> Table:
    """One row per kind of layer; numbers are per layer."""
    stacks = dict.fromkeys(kind.stack for kind in kinds)
    columns = (
        Column("stack"),
        Column("layers"),
        Column("count", number=True),
        Column("mixer"),
        Column("FFN kind"),
        *(Column(NAMES.get(name, name), number=True) for name in CATEGORIES),
        Column("per layer", number=True),
        Column("all of them", number=True),
    )

    def row(kind: Kind, shown: bool) -> Row:
        number = short if shown else grouped
        numbers = (kind.by_category[name] for name in CATEGORIES)
        count = len(kind.indexes)
        cells = (
            kind.stack if len(stacks) > 1 else "",
            runs(kind.indexes),
            str(count) if kind.calls == 1 else f"{count}, run {kind.calls} times",
            kind.mixer or "–",
            kind.ffn or "–",
            *(number(n) if n else "" for n in numbers),
            number(kind.params),
            number(count * kind.params),
        )
        return Row(cells)

    return Table(columns, tuple(row(k, False) for k in kinds), tuple(row(k, True) for k in kinds))


def tensors(found: Sequence[Stored]) -> Table:
    """One row per pattern of names."""
    columns = (
        Column("tensor"),
        Column("shape", number=True),
        Column("role"),
        Column("count", number=True),
        Column("parameters", number=True),
        Column("note"),
    )
    rows = (
        Row(
            (
                each.name,
                " × ".join(str(int(n)) for n in each.shape),
                each.role.value,
                grouped(each.count),
                grouped(each.params),
                f"tied to {each.tied}" if each.tied else NOTES[each.extra],
            )
        )
        for each in found
    )
    return Table(columns, tuple(rows))


NOTES = {"": "", "buffer": "buffer, not counted", "mtp": "MTP, not counted"}


def explanation(found: Explanation) -> Iterator[Lines]:
    """Config keys, class defaults, then the steps, chapter by chapter."""
    read, taken = ([_key(k) for k in found.keys if k.default is default] for default in (False, True))
    yield Lines("Read from the config", tuple(read))
    if taken:
        yield Lines("Absent from the config, so the default of the class", tuple(taken))
    for chapter in found.chapters:
        yield Lines(_heading(chapter), tuple("  " + str(step) for step in chapter.steps))


def _key(key: Key) -> str:
    value = str(key.value).lower() if isinstance(key.value, bool) else str(key.value)
    return f"  {key.key} = {value}"


def _heading(chapter: Chapter) -> str:
    if not chapter.indexes:
        return chapter.title
    count = "1 layer" if len(chapter.indexes) == 1 else f"{len(chapter.indexes)} layers"
    times = f", run {chapter.calls} times" if chapter.calls > 1 else ""
    return f"{chapter.stack.replace('{}', runs(chapter.indexes))} ({count}{times}): {chapter.title}"
