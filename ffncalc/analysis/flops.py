"""FLOPs per token and the FFN's share, at any context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from ffncalc.analysis.cost import Cost, cost
from ffncalc.analysis.crossover import Crossover, of_cost
from ffncalc.errors import UsageError
from ffncalc.ir import Model, Stream


class Phase(StrEnum):
    """Which tokens are meant: one decoded token, the mean of a prompt, or that with the backward pass."""

    DECODE = "decode"
    PREFILL = "prefill"
    TRAIN = "train"


class Mla(StrEnum):
    """How latent attention is computed: keys and values projected up, or absorbed into the query."""

    MATERIALIZED = "materialized"
    ABSORBED = "absorbed"


Number = int | Fraction


def exact(number: Number) -> int | float:
    """A number as JSON holds it: an integer where it is one."""
    if isinstance(number, Fraction) and number.denominator != 1:
        return float(number)
    return int(number)


@dataclass(frozen=True, kw_only=True)
class Point:
    """FLOPs of one token at one context. Means over a prompt may be fractions."""

    ctx: int
    by_category: dict[str, Number]

    @property
    def total(self) -> Number:
        """All FLOPs."""
        return sum(self.by_category.values())

    @property
    def ffn_share(self) -> float:
        """FFN FLOPs / all FLOPs."""
        return float(Fraction(self.by_category["ffn"]) / Fraction(self.total)) if self.total else 0.0

    def to_dict(self) -> dict[str, object]:
        """A point of the JSON contract."""
        return {
            "ctx": self.ctx,
            "total": exact(self.total),
            "by_category": {name: exact(n) for name, n in self.by_category.items()},
            "ffn_share": self.ffn_share,
        }


@dataclass(frozen=True, kw_only=True)
class Flops:
    """FLOPs per token at several contexts, under one convention. `source` is one encoder token, where there is one."""

    phase: Phase
    mla: Mla
    full: bool
    encoder_ctx: int | None
    points: tuple[Point, ...]
    source: tuple[Point, ...]
    crossover: Crossover

    def to_dict(self) -> dict[str, object]:
        """The `flops` object of the JSON contract."""
        return {
            "convention": {
                "phase": self.phase.value,
                "mla": self.mla.value,
                "full": self.full,
                "encoder_ctx": self.encoder_ctx,
                "multiply_add": 2,
                "counted": "matrix products and recurrent state updates",
            },
            "points": [point.to_dict() for point in self.points],
            "encoder_points": [point.to_dict() for point in self.source],
        }


def flops(
    model: Model,
    *,
    ctx: int | Sequence[int],
    phase: Phase | str = Phase.DECODE,
    mla: Mla | str = Mla.MATERIALIZED,
    full: bool = False,
    encoder_ctx: int | None = None,
) -> Flops:
    """FLOPs per token of `model` at each context of `ctx` (keys attended, the token itself included).

    `decode`: one token; `prefill`: the exact mean over a causal prompt of that length; `train`: 3 × prefill.
    `full` counts all keys at every position and in every layer, as a dense kernel or a profiler does.
    `encoder_ctx` is the source length of an encoder–decoder (default: as long as the context).

    Raises:
        UsageError: a context below 1.
    """
    contexts = (ctx,) if isinstance(ctx, int) else tuple(ctx)
    for number in (*contexts, *(() if encoder_ctx is None else (encoder_ctx,))):
        if number < 1:
            raise UsageError(f"context must be at least 1, got {number}")
    phase, mla = Phase(phase), Mla(mla)
    plain = cost(model)
    own = replace(plain, slopes=plain.absorbed) if mla is Mla.ABSORBED else plain
    encoder = cost(model, absorbed=mla is Mla.ABSORBED, stream=Stream.SOURCE) if has_source(model) else None
    lengths = [encoder_ctx or n for n in contexts]
    return Flops(
        phase=phase,
        mla=mla,
        full=full,
        encoder_ctx=encoder_ctx,
        points=tuple(point(own, n, m, phase, full) for n, m in zip(contexts, lengths, strict=True)),
        source=tuple(point(encoder, m, m, phase, full) for m in lengths) if encoder else (),
        crossover=of_cost(plain, model),
    )


def point(cost: Cost, ctx: int, source: int, phase: Phase, full: bool) -> Point:
    """One token's cost at a context."""
    decode = full or phase is Phase.DECODE
    core: Number = sum(s.at(ctx, source, full=full) if decode else s.mean(ctx, source) for s in cost.slopes)
    times = 3 if phase is Phase.TRAIN else 1
    parts = {**cost.constant, "attention_core": core}
    return Point(ctx=ctx, by_category={name: times * n for name, n in parts.items()})


def has_source(model: Model) -> bool:
    """Whether the model has an encoder besides its decoder."""
    return any(block.stream is Stream.SOURCE for block in model.blocks)
