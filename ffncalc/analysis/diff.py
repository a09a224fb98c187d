"""Two configs: which fields differ, which of them any number depends on, and what moved.

Whether a number depends on a field is not looked up but tried: a field counts when changing it alone in the old config,
or taking its change back alone in the new one, moves a tensor, a FLOP or a byte, or makes the config one that cannot be
counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ffncalc.analysis.crossover import Crossover
from ffncalc.analysis.fields import ABSENT, Difference, Path, differences, dotted, replaced
from ffncalc.analysis.fingerprint import fingerprint
from ffncalc.analysis.flops import Flops, Number, exact, flops
from ffncalc.analysis.memory import Memory, memory
from ffncalc.analysis.params import Params, params
from ffncalc.api import Ref, describe, read
from ffncalc.errors import FfncalcError
from ffncalc.ir import CATEGORIES, Model
from ffncalc.origin import PARSED
from ffncalc.source import Loaded

USUAL = (2**13, 2**15, 2**17)  # contexts that are compared unless others are asked for

Value = Number | float | None


class Pair(NamedTuple):
    """A number on both sides; None where a side has none."""

    old: Value
    new: Value

    @property
    def change(self) -> Number | float | None:
        """New − old, None where a side has none."""
        return None if self.old is None or self.new is None else self.new - self.old

    def to_dict(self) -> dict[str, object]:
        """As in JSON; exact where it is a whole number."""
        return {"old": _plain(self.old), "new": _plain(self.new), "change": _plain(self.change)}


def _plain(value: Value) -> int | float | None:
    return value if value is None or isinstance(value, float) else exact(value)


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field that differs.

    `counts`: whether a number depends on it. `alone` is what it does to the parameters when it is changed alone in
    the old config; None where that is no valid config.
    """

    path: Path
    old: Any
    new: Any
    counts: bool
    alone: int | None

    @property
    def name(self) -> str:
        """`text_config.layer_types[3]`"""
        return dotted(self.path)

    @property
    def change(self) -> str:
        """`added`, `removed` or `changed`."""
        return "added" if self.old is ABSENT else "removed" if self.new is ABSENT else "changed"

    def to_dict(self) -> dict[str, object]:
        """An element of `fields` in JSON; a side that lacks the field has no value."""
        values = {side: _json(v) for side, v in (("old", self.old), ("new", self.new)) if v is not ABSENT}
        return {"field": self.name, "change": self.change, **values, "counts": self.counts, "params_alone": self.alone}


def _json(value: Any) -> Any:
    """A value as strict JSON holds it: NaN and Infinity become words."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_json(v) for v in value]
    return {k: _json(v) for k, v in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True, kw_only=True)
class Side:
    """One config with its numbers; `memory` is None where its bytes are not known, and `unknown` says why."""

    model: Model
    raw: Mapping[str, Any]
    params: Params
    flops: Flops
    memory: Memory | None
    unknown: str

    @property
    def crossover(self) -> Crossover:
        """Where attention overtakes the FFN."""
        return self.flops.crossover

    @cached_property
    def kv_bytes_per_token(self) -> int | float | None:
        """Cache bytes that a token adds while no window is full."""
        return None if self.memory is None else self.memory.kv_bytes(self.memory.cache.per_token)

    @property
    def weight_bytes(self) -> int | None:
        """Bytes of all weights."""
        return None if self.memory is None else int(self.memory.total)


@dataclass(frozen=True, kw_only=True)
class Diff:
    """What differs between two configs. Pairs are (old, new)."""

    old: Side
    new: Side
    fields: tuple[Field, ...]

    @property
    def moved(self) -> bool:
        """Whether any number depends on what changed."""
        return _print(self.old.model) != _print(self.new.model)

    def params(self) -> dict[str, Pair]:
        """total, active, active_matmul."""
        names = ("total", "active", "active_matmul")
        return {name: Pair(getattr(self.old.params, name), getattr(self.new.params, name)) for name in names}

    def by_category(self) -> dict[str, Pair]:
        """Parameters of each category."""
        return {name: Pair(self.old.params.by_category[name], self.new.params.by_category[name]) for name in CATEGORIES}

    def points(self) -> Iterator[tuple[int, Pair, Pair]]:
        """(context, FLOPs per token, FFN share) at each context."""
        for old, new in zip(self.old.flops.points, self.new.flops.points, strict=True):
            yield old.ctx, Pair(old.total, new.total), Pair(old.ffn_share, new.ffn_share)

    def crossover(self) -> Pair:
        """The context from which on attention costs more than the FFN."""
        return Pair(self.old.crossover.ctx, self.new.crossover.ctx)

    def kv_bytes_per_token(self) -> Pair:
        """Cache bytes per token."""
        return Pair(self.old.kv_bytes_per_token, self.new.kv_bytes_per_token)

    def weight_bytes(self) -> Pair:
        """Bytes of all weights."""
        return Pair(self.old.weight_bytes, self.new.weight_bytes)

    def to_dict(self) -> dict[str, object]:
        """The `diff` object in JSON."""
        return {
            "moved": self.moved,
            "fields": [field.to_dict() for field in self.fields],
            "params": {
                **{name: pair.to_dict() for name, pair in self.params().items()},
                "by_category": {name: pair.to_dict() for name, pair in self.by_category().items()},
            },
            "flops": [
                {"ctx": ctx, "total": total.to_dict(), "ffn_share": share.to_dict()}
                for ctx, total, share in self.points()
            ],
            "crossover": self.crossover().to_dict(),
            "memory": {
                "kv_bytes_per_token": self.kv_bytes_per_token().to_dict(),
                "weight_bytes": self.weight_bytes().to_dict(),
            },
        }


def diff(old: Ref | Loaded, new: Ref | Loaded, *, ctx: int | Sequence[int] = USUAL) -> Diff:
    """Which fields differ between two configs, and what moved.

    Each is a reference or a parsed config, as for `load`, or what `source.load` gave. FLOPs are compared at each
    context of `ctx` (8,192, 32,768 and 131,072).

    Raises:
        FfncalcError: one of them could not be had, or cannot be counted.
    """
    before, after = (_side(each if isinstance(each, Loaded) else read(each), ctx) for each in (old, new))
    return Diff(old=before, new=after, fields=tuple(_fields(before, after)))


def _side(loaded: Loaded, ctx: int | Sequence[int]) -> Side:
    model = describe(loaded)
    held, unknown = _memory(model)
    return Side(
        model=model, raw=loaded.raw, params=params(model), flops=flops(model, ctx=ctx), memory=held, unknown=unknown
    )


def _memory(model: Model) -> tuple[Memory | None, str]:
    try:
        return memory(model, ctx=1), ""
    except FfncalcError as error:
        return None, error.message


def _print(model: Model) -> tuple[object, ...]:
    """What all numbers of a model follow from: its parts, and how they are stored."""
    held, unknown = _memory(model)
    if held is None:
        return fingerprint(model), unknown
    kept = (held.kv_bytes(held.cache.per_token), held.kv_bytes(int(held.cache.constant)))
    return fingerprint(model), tuple(held.by_category.values()), kept


class _Trials:
    """Configs between the old one and the new one."""

    def __init__(self, old: Side, new: Side) -> None:
        self.old, self.new = old, new
        self.old_print, self.new_print = _print(old.model), _print(new.model)

    def counts(self, difference: Difference) -> tuple[bool, int | None]:
        """Whether a number depends on a field, and what it does to the parameters alone (None: no valid config)."""
        forward = _described(replaced(self.old.raw, difference.path, difference.new))
        alone = None if forward is None else int(params(forward).total - self.old.params.total)
        if forward is None or _print(forward) != self.old_print:
            return True, alone
        backward = _described(replaced(self.new.raw, difference.path, difference.old))
        return backward is None or _print(backward) != self.new_print, alone


def _described(raw: Mapping[str, Any]) -> Model | None:
    try:
        return describe(Loaded(raw, PARSED))
    except FfncalcError:
        return None


def _fields(old: Side, new: Side) -> Iterator[Field]:
    """The fields that differ. An object that does not count as a whole is not tried field by field."""
    trials = _Trials(old, new)
    idle: dict[str | int, bool] = {}
    for found in differences(old.raw, new.raw):
        head = found.path[0]
        if len(found.path) > 1 and head not in idle:
            whole = Difference((head,), old.raw[str(head)], new.raw[str(head)])
            idle[head] = not trials.counts(whole)[0]
        counts, alone = (False, 0) if idle.get(head) else trials.counts(found)
        yield Field(path=found.path, old=found.old, new=found.new, counts=counts, alone=alone)
