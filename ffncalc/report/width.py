"""How widths look: the way to one, the recipes of a model's, and the answer to an inverse question."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ffncalc.analysis.width import Chain, Origin, Origins, Recipe, decimal
from ffncalc.inverse import Candidate, Solution
from ffncalc.report.document import Column, Facts, Lines, Part, Row, Section, Table
from ffncalc.report.entry import SCHEMA_VERSION, Entry, Format, Report, Screen, flat_row
from ffncalc.report.numbers import grouped, ratio
from ffncalc.report.titles import notes, subtitle, title

SHOWN = 6  # recipes of one width on a page; the formats for machines have all
KINDS = {"dense": "FFN", "routed_expert": "routed expert", "shared_expert": "shared experts"}

Found = Origins | Solution


def text(chain: Chain, format: Format, screen: Screen) -> str:
    """A chain in any format; it has no model, so JSON has no `models`."""
    if format in (Format.JSON, Format.JSONL):
        from ffncalc.report.json import dumps

        data = {"schema_version": SCHEMA_VERSION, "width": chain.to_dict()}
        return dumps(data, indent=2 if format is Format.JSON else None, ascii=screen.ascii) + "\n"
    if format is Format.CSV:
        from ffncalc.report import csv

        return csv.text([step.to_dict() for step in chain.steps])
    sections = [Section(_chain_title(chain), "", tuple(_chain(chain)))]
    if format is Format.MARKDOWN:
        from ffncalc.report import markdown

        return markdown.text(sections)
    from ffncalc.report import table

    return table.text(sections, screen)


def _chain_title(chain: Chain) -> str:
    return f"Width of {'a gated' if chain.gated else 'an ungated'} FFN in a model {grouped(chain.hidden_size)} wide"


def _chain(chain: Chain) -> Iterator[Part]:
    columns = (Column("width", number=True), Column("from"), Column("why"))
    yield Table(columns, tuple(Row((str(step.width), step.formula, step.word)) for step in chain.steps))
    matrices = 3 if chain.gated else 2
    working = f"{matrices} × {chain.hidden_size} × {chain.result}"
    yield Facts(
        (
            ("chain", " → ".join(str(step.width) for step in chain.steps)),
            ("ratio", f"{ratio(chain.ratio)} × {grouped(chain.hidden_size)}"),
            ("parameters", f"{working} = {grouped(chain.params)} per layer, biases out"),
            ("", f"{ratio(chain.equivalent)} × those of a two-matrix 4× FFN"),
        )
    )


def payload(entry: Entry[Found]) -> dict[str, Any]:
    """The `width` object of the JSON contract."""
    model, found = entry.ok()
    data: dict[str, Any] = {"width": found.to_dict()}
    if entry.base is not None:
        data |= {"base": {"width": entry.base.to_dict()}, "changes": {"set": list(entry.changes)}}
    return data | {"notes": list(model.notes)}


def rows(entry: Entry[Found]) -> list[dict[str, Any]]:
    """One row per recipe, or one for an answer."""
    _, found = entry.ok()
    if isinstance(found, Solution):
        data = found.to_dict()
        return [flat_row(data) | {"fields": " ".join(found.fields), "set": " ".join(found.assignments)}]
    made: list[dict[str, Any]] = []
    for width in found.widths:
        own = flat_row(width.to_dict())
        options = [
            {**each.to_dict(), "multiple_of": _joined(each.multiples), "steps": _joined(_widths(each))}
            for each in width.recipes
        ]
        named = [{f"recipe_{name}": value for name, value in option.items()} for option in options]
        made += [own | option for option in named] or [own]
    return made or [{"layers": 0}]


def _joined(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _widths(recipe: Recipe) -> list[int]:
    return [step.width for step in recipe.chain.steps]


def document(entries: Sequence[Entry[Found]]) -> list[Section]:
    """One section per model."""
    return [Section(title(e), subtitle(e), tuple(_parts(e))) for e in entries]


def _parts(entry: Entry[Found]) -> Iterator[Part]:
    _, found = entry.ok()
    if isinstance(found, Solution):
        yield from _solution(found, entry.ref)
    else:
        if not found.widths:
            yield Facts((("FFN", "none: no layer of this model has one"),))
        for width in found.widths:
            yield from _origin(width)
    yield from notes(entry)


def _origin(width: Origin) -> Iterator[Part]:
    form = "gated" if width.gated else "ungated"
    factor = ratio(width.hidden / width.hidden_size)
    head = f"{KINDS[width.kind]} of {width.layers} layers, {form}: {width.hidden} = {factor} × {width.hidden_size}"
    yield Lines(head, ())
    rule = [("in the config", width.derivation)] if width.derivation else []
    if not width.recipes:
        yield Facts((*rule, ("recipe", "none: no ratio in eighths, multiplier in steps of 0.05 and rounding give it")))
        return
    if rule:
        yield Facts(tuple(rule))
    columns = (
        Column("start"),
        Column("multiplier", number=True),
        Column("rounded up to a multiple of"),
        Column("chain"),
    )
    shown = width.recipes[:SHOWN]
    yield Table(columns, tuple(_recipe(each, width) for each in shown))
    if len(width.recipes) > SHOWN:
        yield Facts((("further", f"{len(width.recipes) - SHOWN} recipes that are less simple, in --format json"),))


def _recipe(recipe: Recipe, width: Origin) -> Row:
    start = f"{decimal(recipe.ratio)} ×" if recipe.ratio is not None else "two thirds of 4 ×" if width.gated else "4 ×"
    powers = [m for m in recipe.multiples if m & (m - 1) == 0]
    shown = powers or list(recipe.multiples)
    return Row(
        (
            start,
            "" if recipe.multiplier is None else decimal(recipe.multiplier),
            ", ".join(map(str, shown[:5])) + (", …" if len(shown) > 5 else ""),
            " → ".join(map(str, _widths(recipe))),
        )
    )


def _solution(found: Solution, ref: str) -> Iterator[Part]:
    names = ", ".join(found.fields)
    own = len(found.fields) == 1 and found.answer.width == found.answer.field_value
    columns = (
        Column(""),
        Column(names, number=True),
        Column("" if own else "FFN width", number=True),
        Column(found.target.named, number=True),
        Column("from the target", number=True),
    )
    listed = (("now", found.now), ("below", found.below), ("answer", found.answer), ("above", found.above))
    rows = tuple(_candidate(found, word, each, own) for word, each in listed if each is not None)
    yield Table(columns, rows)
    yield Facts(tuple(_facts(found, ref, names)))


def _candidate(found: Solution, word: str, each: Candidate, own: bool) -> Row:
    cells = (
        word,
        grouped(each.field_value),
        "" if own else grouped(each.width),
        found.target.shown(each.value),
        found.target.distance(each.value),
    )
    return Row(cells, total=word == "answer")


def _facts(found: Solution, ref: str, names: str) -> Iterator[tuple[str, str]]:
    yield "target", str(found.target)
    step = f"multiples of {found.multiple_of}" if found.multiple_of > 1 else "whole numbers"
    rises = "rises" if found.rising else "falls"
    yield "answer", f"of the {step}, {names} = {grouped(found.answer.field_value)} comes nearest"
    yield "", f"the value {rises} with {names}"
    if found.continued:
        yield "with it", f"{', '.join(found.continued)}, of one entry per layer, cut or continued by its own pattern"
    else:
        yield (
            "to see it",
            " ".join((_command(found, ref), *(f"--set {shlex.quote(each)}" for each in found.assignments))),
        )


def _command(found: Solution, ref: str) -> str:
    """The command that shows the value of the answer."""
    if found.target.quantity == "crossover":
        return f"ffncalc crossover {ref}"
    at = found.target.ctx
    return f"ffncalc params {ref}" if at is None else f"ffncalc flops {ref} --ctx {at}"


REPORT: Report[Found] = Report(payload=payload, document=document, rows=rows)
