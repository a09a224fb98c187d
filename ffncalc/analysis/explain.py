"""How each number of a count comes about, and which keys of the config it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ffncalc.analysis import derivation as d
from ffncalc.analysis.params import params
from ffncalc.formula import Num
from ffncalc.ir import Model


@dataclass(frozen=True, kw_only=True)
class Key:
    """A config key that was read, or the class default that was taken for it."""

    key: str
    value: object
    default: bool

    def to_dict(self) -> dict[str, object]:
        """The key in JSON."""
        return {"key": self.key, "value": self.value, "source": "class default" if self.default else "config"}


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The keys a count rests on, and its steps."""

    keys: tuple[Key, ...]
    chapters: tuple[d.Chapter, ...]

    def to_dict(self) -> dict[str, object]:
        """The `explain` object in JSON."""
        chapters = [{"title": c.title, "steps": [s.to_dict() for s in c.steps]} for c in self.chapters]
        return {"keys": [key.to_dict() for key in self.keys], "chapters": chapters}


def explained(model: Model, numbers: Iterable[int], chapters: Iterable[d.Chapter]) -> Explanation:
    """Chapters that say something, and the keys that `numbers` rest on."""
    return Explanation(keys=tuple(keys(model, numbers)), chapters=tuple(c for c in chapters if c.steps))


def explain(model: Model) -> Explanation:
    """The derivation of every number that `params(model)` gives."""
    counted = params(model)
    found = tuple(d.gathered(model.blocks))
    chapters = (
        *map(d.layer_chapter, found),
        d.Chapter(title="Categories", steps=tuple(d.category_steps(found, counted))),
        d.Chapter(title="Totals", steps=tuple(d.total_steps(model, counted))),
        d.Chapter(title="FFN widths", steps=tuple(d.width_steps(counted))),
        *map(d.layer_chapter, d.gathered(model.mtp)),
        d.Chapter(title="Stored besides, and not in the total", steps=tuple(d.extra_steps(model, counted))),
    )
    numbers = (counted.total, counted.active, counted.slots, counted.buffers, counted.mtp)
    return explained(model, numbers, chapters)


def keys(model: Model, numbers: Iterable[int]) -> Iterator[Key]:
    """Keys in the order in which the derivation uses them, then the other defaults that were taken."""
    defaults = dict(model.defaults)
    found = {label: value for number in numbers for label, value in leaves(number).items()}
    for label, value in found.items():
        yield Key(key=label, value=value, default=label in defaults)
    for key, taken in defaults.items():
        if key not in found and taken is not None:
            yield Key(key=key, value=taken, default=True)


def leaves(number: int) -> dict[str, int]:
    """The config keys a number was computed from, with their values, in order of appearance."""
    found: dict[str, int] = {}
    stack = [number]
    while stack:
        node = stack.pop()
        if isinstance(node, Num):
            if node.label:
                found[node.label] = int(node)
            stack.extend(reversed(node.args))
    return found
