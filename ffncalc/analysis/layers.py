"""The layers of a model, equal ones gathered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ffncalc.formula import total
from ffncalc.ir import CATEGORIES, Block, Model


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Layers that are equal in all but their weights; numbers are per layer.

    `stack` is the name of a layer with `{}` for its number, `calls` how often each runs for one token.
    """

    stack: str
    indexes: tuple[int, ...]
    mixer: str
    ffn: str
    by_category: dict[str, int]
    calls: int

    @property
    def params(self) -> int:
        """Parameters of one such layer."""
        return total(self.by_category.values())

    def to_dicts(self) -> Iterator[dict[str, object]]:
        """One entry of the JSON contract for each of these layers."""
        for index in self.indexes:
            yield {
                "index": index,
                "stack": self.stack,
                "kinds": {"mixer": self.mixer or None, "ffn": self.ffn or None},
                "by_category": {name: int(n) for name, n in self.by_category.items()},
                "params": int(self.params),
                "calls": self.calls,
            }


def layers(model: Model) -> tuple[Kind, ...]:
    """The kinds of layers of `model` (towers for images and sound apart), in the order of their first layer."""
    return tuple(
        Kind(
            stack=block.prefix,
            indexes=block.indexes,
            mixer=block.kind("mixer"),
            ffn=block.kind("ffn"),
            by_category=by_category(block),
            calls=block.calls,
        )
        for block in model.layers
    )


def by_category(block: Block) -> dict[str, int]:
    """Parameters of one layer (or of a block without layers) by category."""
    parts: dict[str, list[int]] = {name: [] for name in CATEGORIES}
    for part in block.parts:
        for tensor in part.weights:
            if not tensor.tied:
                parts[block.role(tensor).category].append(tensor.stored)
    return {name: total(numbers) for name, numbers in parts.items()}


def to_dicts(kinds: tuple[Kind, ...]) -> list[dict[str, object]]:
    """The `layers` list of the JSON contract: every layer, stack by stack, in order."""
    stacks = list(dict.fromkeys(kind.stack for kind in kinds))
    entries = [entry for kind in kinds for entry in kind.to_dicts()]
    return sorted(entries, key=lambda entry: (stacks.index(str(entry["stack"])), entry["index"]))


def consecutive(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Rising numbers as (first, last) of each run without gaps.

    >>> consecutive((0, 1, 2, 5))
    [(0, 2), (5, 5)]
    """
    spans: list[tuple[int, int]] = []
    for n in numbers:
        if spans and n == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], n)
        else:
            spans.append((n, n))
    return spans
