"""What a chart of FLOPs shows: the share of each part against the context, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ffncalc.analysis.flops import Flops, Phase, flops
from ffncalc.ir import Model
from ffncalc.report.entry import Entry
from ffncalc.report.numbers import grouped
from ffncalc.report.titles import title

if TYPE_CHECKING:
    from ffncalc.report.flops import Costed

# From the bottom of the chart to its top; routers and the rest are thin, and go with their neighbours in colour.
BANDS = {
    "ffn": "FFN",
    "router": "router",
    "head": "head",
    "attention_projections": "projections",
    "mixer": "mixer",
    "other": "other",
    "attention_core": "attention core",
}


@dataclass(frozen=True, kw_only=True)
class Curves:
    """The shares of one model: `shares[band][i]` at `contexts[i]`; the bands that are empty are left out.

    `marked`: the crossover, which is that of one decoded token, belongs on this chart.
    """

    name: str
    contexts: tuple[int, ...]
    shares: dict[str, tuple[float, ...]]
    crossover: int | None
    marked: bool
    max_context: int | None
    convention: str

    @property
    def ffn(self) -> tuple[float, ...]:
        """The share of the FFN."""
        return self.shares.get("ffn", (0.0,) * len(self.contexts))


def ends(entries: Sequence[Entry[Costed]]) -> tuple[int, int]:
    """The first and last context: all those asked for, the crossovers, and some more to their right."""
    found = [entry.ok()[1].flops for entry in entries]
    first = min(point.ctx for cost in found for point in cost.points)
    last = max(point.ctx for cost in found for point in cost.points)
    crossovers = [n for cost in found if (n := crossover(cost))]
    return first, max(last, 16 * first, *(4 * n for n in crossovers))


def curves(entry: Entry[Costed], first: int, last: int, count: int) -> Curves:
    """The shares of a model at `count` contexts from `first` to `last`, evenly spaced on the logarithmic scale."""
    model, found = entry.ok()
    ratio = last / first
    contexts = tuple(round(first * ratio ** (i / (count - 1))) for i in range(count))
    cost = _again(model, found.flops, contexts)
    shares = {
        band: tuple(float(Fraction(p.by_category[band]) / Fraction(p.total)) if p.total else 0.0 for p in cost.points)
        for band in BANDS
    }
    return Curves(
        name=title(entry),
        contexts=contexts,
        shares={band: values for band, values in shares.items() if any(values)},
        crossover=crossover(cost),
        marked=cost.phase is Phase.DECODE,
        max_context=cost.max_context,
        convention=cost.convention,
    )


def crossover(cost: Flops) -> int | None:
    """Where the core overtakes the FFN under the convention of `cost`; None in charts of prompts."""
    return cost.crossover.ctx if cost.phase is Phase.DECODE else None


def _again(model: Model, found: Flops, contexts: Sequence[int]) -> Flops:
    return flops(
        model,
        ctx=contexts,
        phase=found.phase,
        mla=found.mla,
        full=found.full,
        encoder_ctx=found.encoder_ctx,
    )


def ticks(first: int, last: int) -> list[int]:
    """Round contexts to write on the axis: powers of two, at most about eight of them."""
    powers = [2**i for i in range(64) if first <= 2**i <= last]
    every = max(1, -(-len(powers) // 8))
    return powers[len(powers) % every :: every] if every > 1 else powers


def tick(number: int) -> str:
    """A context as it stands on an axis: `512`, `8Ki`, `1Mi`."""
    for unit, letters in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if number >= unit and number % unit == 0:
            return f"{number // unit}{letters}"
    return grouped(number)
