"""FLOPs per token and the FFN's share, at any context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

from ffncalc.analysis.contexts import at_least_one, contexts_of
from ffncalc.analysis.cost import Cost, cost
from ffncalc.analysis.crossover import Crossover, of_cost
from ffncalc.errors import UsageError
from ffncalc.ir import Model, Role, Stream


class Phase(StrEnum):
    """Which tokens are meant: one decoded token, the mean of a prompt, or that with the backward pass."""

    DECODE = "decode"
    PREFILL = "prefill"
    TRAIN = "train"


class Mla(StrEnum):
    """How latent attention is computed: keys and values projected up, or absorbed into the query."""

    MATERIALIZED = "materialized"
    ABSORBED = "absorbed"


WORDS = {
    Phase.DECODE: "one decoded token that attends the whole context",
    Phase.PREFILL: "mean over the tokens of a causal prompt as long as the context",
    Phase.TRAIN: "training, 3 × the mean over the tokens of a causal text as long as the context",
}
BOTH_SIDES = "one token of a text as long as the context, attending all of it"

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
    """FLOPs per token at several contexts, under one convention. `source` is one encoder token, where there is one.

    `crossover` is that of one decoded token in every phase, under `mla`, `full` and `encoder_ctx`.
    """

    phase: Phase
    mla: Mla
    full: bool
    encoder_ctx: int | None
    points: tuple[Point, ...]
    source: tuple[Point, ...]
    crossover: Crossover
    latent: bool  # whether `mla` makes a difference
    recurrent: bool  # whether some state update is counted, by its recurrence: a lower bound
    causal: bool  # whether tokens attend earlier ones only

    @property
    def max_context(self) -> int | None:
        """The longest context the model is made for."""
        return self.crossover.max_position_embeddings

    def beyond(self, context: int) -> bool:
        """Whether the model is not made for a context that long."""
        return self.max_context is not None and context > self.max_context

    @property
    def attends_source(self) -> bool:
        """Whether the length of the source makes a difference."""
        return bool(self.source) or any(slope.span.kind == "source" for slope in self.crossover.slopes)

    @property
    def crossing(self) -> str:
        """Which token the crossover is about, where it is not the one of `points`."""
        if self.phase is Phase.DECODE or self.full:
            return ""
        return "for one decoded token" if self.causal else "for one token amid the text"

    @property
    def convention(self) -> str:
        """What is counted, in words."""
        parts = [
            WORDS[self.phase] if self.causal else ("training, 3 × " if self.phase is Phase.TRAIN else "") + BOTH_SIDES,
            "every layer and position counted with all keys" if self.full else "",
            f"latent attention {self.mla.value}" if self.latent else "",
            f"source of {self.encoder_ctx:,} tokens" if self.encoder_ctx and self.attends_source else "",
            "2 FLOPs per multiply-add, matrix products only",
        ]
        return "; ".join(filter(None, parts))

    def to_dict(self) -> dict[str, object]:
        """The `flops` object of the JSON contract."""
        return {
            "convention": {
                "phase": self.phase.value,
                "mla": self.mla.value,
                "full": self.full,
                "encoder_ctx": self.encoder_ctx,
                "words": self.convention,
                "multiply_add": 2,
                "counted": "matrix products and recurrent state updates",
            },
            "points": [point.to_dict() | {"beyond_max": self.beyond(point.ctx)} for point in self.points],
            "encoder_points": [point.to_dict() for point in self.source],
        }


def flops(
    model: Model,
    *,
    ctx: int | Sequence[int] | None = None,
    phase: Phase | str = Phase.DECODE,
    mla: Mla | str = Mla.MATERIALIZED,
    full: bool = False,
    encoder_ctx: int | None = None,
) -> Flops:
    """FLOPs per token of `model` at each context of `ctx` (keys attended, the token itself included).

    Without `ctx`: at 1, 1,024, 8,192, 32,768, 131,072 and the model's maximum.

    `decode`: one token; `prefill`: the exact mean over a causal prompt of that length; `train`: 3 × prefill.
    `full` counts all keys at every position and in every layer, as a dense kernel or a profiler does.
    `encoder_ctx` is the source length of an encoder–decoder (default: as long as the context).

    Raises:
        UsageError: a context below 1, or a phase or form of MLA that does not exist.
    """
    contexts = contexts_of(model, ctx)
    at_least_one(encoder_ctx)
    phase, mla = _member(Phase, phase, "phase"), _member(Mla, mla, "mla")
    absorbed = mla is Mla.ABSORBED
    own = cost(model, absorbed=absorbed, full=full, source=encoder_ctx)
    encoder = cost(model, absorbed=absorbed, full=full, stream=Stream.SOURCE) if has_source(model) else None
    return Flops(
        phase=phase,
        mla=mla,
        full=full,
        encoder_ctx=encoder_ctx,
        points=tuple(point(own, n, phase, full) for n in contexts),
        source=tuple(point(encoder, encoder_ctx or n, phase, full) for n in contexts) if encoder else (),
        crossover=of_cost(own, model),
        latent=own.latent,
        recurrent=recurrent(model),
        causal=any(b.causal for b in model.blocks if b.indexes and b.stream is Stream.TOKEN),
    )


E = TypeVar("E", bound=StrEnum)


def _member(kind: type[E], value: str, what: str) -> E:
    """The member of that name.

    Raises:
        UsageError: there is none.
    """
    try:
        return kind(value)
    except ValueError:
        raise UsageError(f"{what} must be one of {', '.join(kind)}, got {value!r}") from None


def point(cost: Cost, ctx: int, phase: Phase, full: bool) -> Point:
    """One token's cost at a context; with `full`, every position costs the same."""
    decode = full or phase is Phase.DECODE
    core: Number = sum(s.at(ctx) if decode else s.mean(ctx) for s in cost.slopes)
    times = 3 if phase is Phase.TRAIN else 1
    parts = {**cost.constant, "attention_core": core}
    return Point(ctx=ctx, by_category={name: times * n for name, n in parts.items()})


def recurrent(model: Model) -> bool:
    """Whether a layer updates a recurrent state."""
    parts = (part for block in model.layers for part in block.parts)
    return any(m.per_token and m.role is Role.MIXER for part in parts for m in part.mixings)


def has_source(model: Model) -> bool:
    """Whether the model has an encoder besides its decoder."""
    return any(block.stream is Stream.SOURCE for block in model.blocks)
