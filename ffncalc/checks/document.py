"""A config file with the place of each of its keys.

Reading is the standard library's; places are looked up only for the fields that something was found in, by one pass
over the tokens of a text that is already known to be JSON. The pass keeps its own stack, so that no nesting is too
deep for it, and remembers only the fields that were asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ffncalc.source import reading

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class Place(NamedTuple):
    """Lines and columns from 1, in characters; the end is the column after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


class Spot(NamedTuple):
    """A field and the offsets of its text: from the key to the end of a plain value, or of the key of a nested one.

    `key` is None for an item of a list; `parent` is the offset of the object or list around.
    """

    field: str
    start: int
    end: int
    key: str | None
    parent: int


TOP = Place(1, 1, 1, 1)


@dataclass(frozen=True)
class Document:
    """The text of a file and the JSON object in it."""

    data: bytes
    raw: Mapping[str, Any]

    @classmethod
    def read(cls, data: bytes, where: str) -> Document:
        """Raises FileError for what is no JSON object; `where` names the file in it."""
        return cls(data, reading.parse(data, where))

    @cached_property
    def text(self) -> str:
        """The decoded file, without a byte-order mark."""
        return self.data.decode(json.detect_encoding(self.data)).removeprefix("\ufeff")

    @cached_property
    def has_duplicates(self) -> bool:
        """Whether some object names a key twice; the second one is what a parser keeps."""
        found = False

        def look(pairs: list[tuple[str, Any]]) -> None:
            nonlocal found
            found = found or len({key for key, _ in pairs}) < len(pairs)

        json.loads(self.text, object_pairs_hook=look, parse_int=str)
        return found

    def duplicates(self) -> Iterator[tuple[str, Place]]:
        """Fields that are named again, with the place of each repetition."""
        if not self.has_duplicates:
            return
        seen: set[tuple[int, str]] = set()
        for spot in spots(self.text):
            if spot.key is None:
                continue
            if (spot.parent, spot.key) in seen:
                yield spot.field, self._place(spot)
            seen.add((spot.parent, spot.key))

    def places(self, fields: Collection[str]) -> dict[str, Place]:
        """The place of each field: its last occurrence, or its nearest parent's where the file has no such field."""
        chains = {field: (field, *parents(field)) for field in fields}
        wanted = {name for chain in chains.values() for name in chain}
        found = {spot.field: spot for spot in spots(self.text) if spot.field in wanted} if wanted - {""} else {}
        return {
            field: next((self._place(found[name]) for name in chain if name in found), TOP)
            for field, chain in chains.items()
        }

    def _place(self, spot: Spot) -> Place:
        text = self.text
        line = text.count("\n", 0, spot.start) + 1
        start = text.rfind("\n", 0, spot.start)
        end_line = line + text.count("\n", spot.start, spot.end)
        return Place(line, spot.start - start, end_line, spot.end - text.rfind("\n", 0, spot.end))


def parents(field: str) -> Iterator[str]:
    """`a.b[2]` → `a.b`, `a`."""
    while field:
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
        if field:
            yield field


def child(parent: str, key: str) -> str:
    """The name of a field inside another."""
    return f"{parent}.{key}" if parent else key


def spots(text: str) -> Iterator[Spot]:
    """Every field of a JSON text, in order; items of lists too. The text must be valid JSON.

    >>> [(s.field, text[s.start : s.end]) for text in ['{"a": {"b": [1, 22]}}'] for s in spots(text)]
    [('a', '"a"'), ('a.b', '"b"'), ('a.b[0]', '1'), ('a.b[1]', '22')]
    """
    stack: list[tuple[str, int, int]] = []  # around: name, offset, and the number of the next item (-1: an object)
    name, start, end = "", -1, 0  # the field whose value comes next, and where its key stands (-1: it has none)
    key: str | None = None
    is_key = False
    for match in TOKEN.finditer(text):
        token = match[0]
        if token == ":":
            is_key = False
        elif token in "}]":
            stack.pop()
        elif token == ",":
            parent, offset, item = stack[-1]
            is_key = item < 0
            if item >= 0:
                name, start, key = f"{parent}[{item}]", -1, None
                stack[-1] = (parent, offset, item + 1)
        elif is_key:
            key = json.loads(token) if "\\" in token else token[1:-1]
            name, start, end = child(stack[-1][0], str(key)), match.start(), match.end()
        else:
            nested = token in "{["
            if stack:
                first = match.start() if start < 0 else start
                last = match.end() if not nested or start < 0 else end
                yield Spot(name, first, last, key, stack[-1][1])
            if nested:
                is_key = token == "{"
                stack.append((name, match.start(), -1 if is_key else 1))
                name, start, key = (name, start, key) if is_key else (f"{name}[0]", -1, None)
