"""Collapsed tensor lists: one line per run of equal tensors, `name [shape] category [= tied to]`.

`model.layers.[0-31].mlp.down_proj.weight [4096, 14336] ffn` stands for 32 tensors. Lines that start with `#` say
where the list comes from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent / "lists"
RANGES = re.compile(r"\[([\d,-]+)\]")
NUMBERED = re.compile(r"(expert_|)(\d+)")  # parts of names that are gathered


class Entry(NamedTuple):
    shape: tuple[int, ...]
    category: str
    tied: str


def path_of(repo_id: str) -> Path:
    return ROOT / f"{repo_id}.txt"


def read(path: Path) -> dict[str, Entry]:
    """Every tensor of a list by its full name."""
    found: dict[str, Entry] = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, shape, category, tied = _fields(line)
            for full in expand(name):
                assert full not in found, f"{path}: {full} stands twice"
                found[full] = Entry(shape, category, tied)
    return found


def total(path: Path) -> int:
    """The parameter count that the oracle itself reports, from the first line."""
    match = re.search(r"total (\d+)", path.read_text().splitlines()[0])
    assert match, path
    return int(match[1])


def _fields(line: str) -> tuple[str, tuple[int, ...], str, str]:
    match = re.fullmatch(r"(\S+) (\[[\d, ]*\]) (\S+)(?: = (\S+))?", line)
    assert match, line
    return match[1], tuple(json.loads(match[2])), match[3], match[4] or ""


def expand(name: str) -> Iterator[str]:
    """Every name that a pattern such as `layers.[0-2,5].w` stands for."""
    pieces = RANGES.split(name)
    choices = [list(_numbers(text)) for text in pieces[1::2]]
    for numbers in product(*choices):
        yield "".join(a + b for a, b in zip(pieces[::2], [*map(str, numbers), ""], strict=True))


def _numbers(text: str) -> Iterator[int]:
    for run in text.split(","):
        first, _, last = run.partition("-")
        yield from range(int(first), int(last or first) + 1)


def collapse(entries: Iterable[tuple[str, Entry]]) -> list[str]:
    """Lines for full names, equal neighbours gathered; the order of first appearance is kept."""
    rows: dict[tuple[str, Entry], None] = dict.fromkeys(entries)
    depth = max((name.count(".") + 1 for name, _ in rows), default=0)
    for position in range(depth - 1, -1, -1):  # right to left: experts before layers
        groups: dict[tuple[str, Entry], list[int]] = {}
        plain: dict[tuple[str, Entry], str] = {}
        for name, entry in rows:
            parts = name.split(".")
            if position < len(parts) and (match := NUMBERED.fullmatch(parts[position])):
                key = (".".join([*parts[:position], f"{match[1]}\0", *parts[position + 1 :]]), entry)
                groups.setdefault(key, []).append(int(match[2]))
            else:
                key = (name, entry)
                plain[key] = name
            groups.setdefault(key, [])
        rows = {}
        for (name, entry), numbers in groups.items():
            rows[(name.replace("\0", _runs(numbers)) if numbers else name, entry)] = None
    return [
        f"{name} [{', '.join(map(str, e.shape))}] {e.category}" + (f" = {e.tied}" if e.tied else "") for name, e in rows
    ]


def _runs(numbers: list[int]) -> str:
    numbers = sorted(numbers)
    if len(numbers) == 1:
        return str(numbers[0])
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return "[" + ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) + "]"
