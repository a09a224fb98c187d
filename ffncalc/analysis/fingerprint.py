"""A digest of what a model's numbers depend on: its tensors, what it computes without weights, and what it keeps.

Two configs have the same digest when every parameter, FLOP and cache element of them is the same, layer by layer. How
layers are gathered into blocks, and in which order, does not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from ffncalc.ir import Block, Cache, Component, Mixing, Model, Span, Tensor


def fingerprint(model: Model) -> str:
    """The digest: 32 hexadecimal digits."""
    lines = (*_lines("", model.blocks), *_lines("mtp ", model.mtp))
    return _digest(sorted(lines))[:32]


def _lines(kind: str, blocks: Iterable[Block]) -> Iterator[str]:
    """One line per layer: its number and the digest of its content."""
    for block in blocks:
        content = _digest(_block(block))
        for index in block.indexes or ("",):
            yield f"{kind}{block.prefix} {index} {content}"


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _block(block: Block) -> list[Any]:
    parts = sorted((_part(part) for part in block.parts), key=json.dumps)
    return [str(block.stream), int(block.calls), block.causal, parts]


def _part(part: Component) -> list[Any]:
    return [
        part.name,
        sorted(map(_tensor, part.weights), key=json.dumps),
        sorted(map(_tensor, part.buffers()), key=json.dumps),
        sorted(map(_mixing, part.mixing()), key=json.dumps),
        sorted(map(_cache, part.cache()), key=json.dumps),
    ]


def _tensor(t: Tensor) -> list[Any]:
    shape = [int(n) for n in t.shape]
    return [t.name, shape, str(t.role), str(t.use), int(t.copies), int(t.used), t.stacked, t.joined, t.tied, t.source]


def _mixing(m: Mixing) -> list[Any]:
    absorbed = None if m.absorbed is None else int(m.absorbed)
    return [int(m.per_key), _span(m.span), int(m.per_token), str(m.role), absorbed, m.indexer]


def _cache(c: Cache) -> list[Any]:
    return [int(c.per_token), _span(c.span), int(c.constant)]


def _span(span: Span) -> list[Any]:
    return [span.kind, int(span.size), int(span.stride)]
