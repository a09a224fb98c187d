"""How the difference between two configs looks: short enough for a comment on a pull request."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Any

from ffncalc.analysis.diff import Diff, Field, Pair, Side
from ffncalc.analysis.fields import ABSENT, dotted
from ffncalc.ir import Model
from ffncalc.report.document import Column, Facts, Lines, Part, Row, Section, Table
from ffncalc.report.entry import SCHEMA_VERSION, Entry, Screen
from ffncalc.report.numbers import grouped, percent

WIDEST = 48  # characters of a value; longer ones are described
MANY = 4  # fields of one object that are named one by one where no number depends on them
CATEGORIES = {"ffn": "FFN"}


class DiffFormat(StrEnum):
    """How a difference is printed."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


def text(found: Diff, format: DiffFormat, screen: Screen) -> str:
    """The difference in any format."""
    if format is DiffFormat.JSON:
        from ffncalc.report.json import dumps

        sides = {"old": _origin(found.old.model), "new": _origin(found.new.model)}
        data = {"schema_version": SCHEMA_VERSION, **sides, "diff": found.to_dict()}
        return dumps(data, indent=2, ascii=screen.ascii) + "\n"
    if format is DiffFormat.MARKDOWN:
        from ffncalc.report import markdown

        return markdown.text([document(found)])
    from ffncalc.report import table

    return table.text([document(found)], screen)


def _origin(model: Model) -> dict[str, Any]:
    entry: Entry[Any] = Entry(ref=model.name, model=model)
    return entry.origin


def document(found: Diff) -> Section:
    """One section: the fields, then the numbers."""
    title = " → ".join(_name(side) for side in (found.old, found.new))
    kinds = dict.fromkeys(side.model.architecture or side.model.model_type for side in (found.old, found.new))
    return Section(title, f"{' → '.join(kinds)} · {verdict(found)}", tuple(_parts(found)))


def _name(side: Side) -> str:
    return {"": "config", "-": "stdin"}.get(side.model.name, side.model.name)


def verdict(found: Diff) -> str:
    """What the difference comes to, in a few words."""
    if not found.fields:
        return "no field differs"
    total = found.params()["total"]
    if not found.moved:
        return f"no number moves: {grouped(found.new.params.total)} parameters on both sides"
    if not total.change:
        return f"the parameters stay {grouped(found.new.params.total)}, other numbers move"
    return f"{_signed(total.change)} parameters{_relative(total, ' ({})')}"


def _parts(found: Diff) -> Iterator[Part]:
    counting = [field for field in found.fields if field.counts]
    if counting:
        yield fields(counting)
    idle = tuple(_idle(field for field in found.fields if not field.counts))
    if idle:
        yield Lines("No number depends on", idle)
    if found.moved:
        yield numbers(found)
    notes = tuple(_notes(found))
    if notes:
        yield Facts(notes)


def fields(counting: Iterable[Field]) -> Table:
    """One row per field that a number depends on."""
    columns = (Column("field"), Column("old"), Column("new"), Column("alone, parameters", number=True))

    def alone(field: Field) -> str:
        return "only together" if field.alone is None else _signed(field.alone)

    return Table(columns, tuple(Row((f.name, value(f.old), value(f.new), alone(f))) for f in counting))


def _idle(fields: Iterable[Field]) -> Iterator[str]:
    """One line per field, or per object of which many fields differ."""
    groups: dict[tuple[str | int, ...], list[Field]] = {}
    for field in fields:
        groups.setdefault(field.path[:1] if len(field.path) > 1 else field.path, []).append(field)
    for path, found in groups.items():
        if len(found) > MANY:
            yield f"{dotted(path)}: {len(found):,} fields"
        else:
            yield from (f"{field.name}: {value(field.old)} → {value(field.new)}" for field in found)


def value(raw: Any) -> str:
    """A value as the file has it, in words where it is long; – where there is none."""
    if raw is ABSENT:
        return "–"
    shown = json.dumps(raw, ensure_ascii=False)
    if len(shown) <= WIDEST:
        return shown
    if isinstance(raw, list):
        return f"a list of {len(raw):,}"
    if isinstance(raw, dict):
        return f"an object of {len(raw):,}"
    return shown[: WIDEST - 1] + "…" if isinstance(raw, str) else f"a number of {len(shown):,} digits"


def numbers(found: Diff) -> Table:
    """Every number on both sides, with the change and its share of the old value."""
    columns = ("", "old", "new", "change", "")
    return Table(
        tuple(Column(title, number=bool(i)) for i, title in enumerate(columns)),
        tuple(_numbers(found)),
    )


def _numbers(found: Diff) -> Iterator[Row]:
    for name, pair in found.by_category().items():
        if pair.old or pair.new:
            yield _row(CATEGORIES.get(name, name), pair, level=1)
    params = found.params()
    yield _row("parameters", params["total"], total=True)
    yield _row("active per token", params["active"])
    for ctx, total, share in found.points():
        yield _row(f"FLOPs per token at {grouped(ctx)}", total)
        old, new = float(share.old or 0), float(share.new or 0)
        points = f"{100 * (new - old):+.1f} points" if new != old else "0"
        yield Row((f"FFN share at {grouped(ctx)}", percent(old), percent(new), points, ""), level=1)
    yield _row("crossover", found.crossover(), none="never")
    yield _row("KV cache bytes per token", found.kv_bytes_per_token(), none="unknown")
    yield _row("weight bytes", found.weight_bytes(), none="unknown")


def _row(name: str, pair: Pair, *, level: int = 0, total: bool = False, none: str = "") -> Row:
    old, new = (none if n is None else _amount(n) for n in pair)
    change = "" if pair.change is None else _signed(pair.change)
    return Row((name, old, new, change, _relative(pair, "{}")), level, total)


def _amount(number: int | Fraction | float) -> str:
    return grouped(int(number)) if number == int(number) else f"{float(number):,.1f}"


def _signed(change: int | Fraction | float) -> str:
    """`+805,306,368`, `-1,024`, `0`."""
    return f"+{_amount(change)}" if change > 0 else _amount(change)


def _relative(pair: Pair, form: str) -> str:
    """The change in percent of the old value, "" where there is none to compare with."""
    if not pair.change or not pair.old:
        return ""
    share = 100 * float(pair.change) / float(pair.old)
    digits = 1 if abs(share) >= 0.95 else min(1 - math.floor(math.log10(abs(share))), 12)
    return form.format(f"{share:+.{digits}f} %")


def _notes(found: Diff) -> Iterator[tuple[str, str]]:
    for word, side in (("old", found.old), ("new", found.new)):
        if side.unknown:
            yield f"{word} bytes", f"unknown: {side.unknown}"
        yield from ((f"{word} note", note) for note in side.model.notes)
