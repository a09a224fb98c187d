"""From which context on attention costs more than the FFN: exact, from the pieces of the cost, without a search."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ffncalc.analysis.cost import Cost, Slope, cost
from ffncalc.ir import Model


@dataclass(frozen=True, kw_only=True)
class Crossover:
    """The smallest context at which the attention core of one decoded token costs at least as much as the FFN.

    `ctx` is None when it never does. `core_vs_rest`: the core against everything else. `materialized` and `absorbed`:
    in either form of MLA, where the model has it; one of them is `ctx`. `saturates`: what the core's cost never exceeds
    (None: it has no bound).
    """

    ctx: int | None
    core_vs_rest: int | None
    materialized: int | None
    absorbed: int | None
    ffn: int
    saturates: int | None
    slopes: tuple[Slope, ...]
    max_position_embeddings: int | None

    @property
    def within_max(self) -> bool | None:
        """Whether the model is made for contexts that long; None where either is unknown."""
        if self.ctx is None or self.max_position_embeddings is None:
            return None
        return self.ctx <= self.max_position_embeddings

    @property
    def reason(self) -> str:
        """What decides, in a sentence."""
        if not self.ffn:
            return "the model has no FFN"
        if not self.slopes:
            return "the model has no attention"
        if self.ctx is None:
            return f"never: the core saturates at {self.saturates:,} FLOPs per token, the FFN costs {self.ffn:,}"
        sources = [s for s in self.slopes if s.span.kind == "source" and s.span.size]
        rising = [s for s in self.slopes if s.span.keys(2 * self.ctx) > s.span.keys(self.ctx)]
        still = [s for s in self.slopes if s not in rising and s not in sources]
        parts = [
            f"the core grows by {sum(int(s.per_key) for s in rising):,} FLOPs per key there, {_where(rising)}"
            if rising
            else "no layer grows any more there",
            f"{_where(still)} {'is' if len(still) == 1 and still[0].layers == 1 else 'are'} full" if still else "",
            *(f"cross attention of {_layers(s)} sees {s.span.size:,} tokens of the source" for s in sources),
            f"the FFN costs {self.ffn:,} FLOPs per token",
        ]
        return "; ".join(filter(None, parts))

    def to_dict(self) -> dict[str, object]:
        """The `crossover` object of the JSON contract."""
        return {
            "ctx": self.ctx,
            "reason": self.reason,
            "core_vs_rest": self.core_vs_rest,
            "materialized": self.materialized,
            "absorbed": self.absorbed,
            "ffn_flops": int(self.ffn),
            "core_saturates": self.saturates,
            "spans": [
                {
                    "span": s.span.kind,
                    "size": int(s.span.size) or None,
                    "stride": int(s.span.stride),
                    "layers": s.layers,
                    "indexes": list(s.indexes),
                    "flops_per_key": int(s.per_key),
                    "indexer": s.indexer,
                }
                for s in self.slopes
            ],
            "max_position_embeddings": None
            if self.max_position_embeddings is None
            else int(self.max_position_embeddings),
            "within_max": self.within_max,
        }


def _where(slopes: Sequence[Slope]) -> str:
    """`26 layers of sliding 4,096 and 26 layers of full attention`."""
    return " and ".join(f"{_layers(s)} of {s.span} {'indexer' if s.indexer else 'attention'}" for s in slopes)


def _layers(slope: Slope) -> str:
    return f"{slope.layers} layer{'s' if slope.layers != 1 else ''}"


def crossover(model: Model) -> Crossover:
    """Where attention overtakes the FFN in `model`, for one decoded token."""
    return of_cost(cost(model), model)


def of_cost(own: Cost, model: Model) -> Crossover:
    """The same, from the cost of one decoded token under any options."""

    def against_ffn(slopes: Sequence[Slope]) -> int | None:
        return first_reaching(slopes, int(own.ffn)) if own.ffn else None

    return Crossover(
        ctx=against_ffn(own.slopes),
        core_vs_rest=first_reaching(own.slopes, sum(map(int, own.constant.values()))),
        materialized=against_ffn(own.materialized) if own.latent else None,
        absorbed=against_ffn(own.absorbed) if own.latent else None,
        ffn=own.ffn,
        saturates=_saturation(own.slopes),
        slopes=own.slopes,
        max_position_embeddings=model.max_context,
    )


def first_reaching(slopes: Sequence[Slope], target: int) -> int | None:
    """The smallest context n ≥ 1 with Σ per_key × keys(n) ≥ target; None when there is none.

    Between the sizes of its windows the cost is a straight line (plus the saw-tooth of chunks), so each piece is
    solved by division. Compressed keys make it climb in steps; it never falls then, and is halved instead.
    """
    if any(s.span.stride > 1 for s in slopes):
        return _by_halving(slopes, target)
    for low, high in _pieces(slopes):
        found = _in_piece(slopes, target, low, high)
        if found is not None:
            return found
    return None


def _by_halving(slopes: Sequence[Slope], target: int) -> int | None:
    """The first context that reaches the target, where the cost never falls."""

    def at(context: int) -> int:
        return sum(int(s.per_key) * int(s.span.keys(context)) for s in slopes)

    most = _saturation(slopes)
    if most is not None and most < target:
        return None
    high = 1
    while at(high) < target:
        high *= 2
    return bisect_left(range(1, high + 1), target, key=at) + 1


def _pieces(slopes: Sequence[Slope]) -> Iterator[tuple[int, int | None]]:
    """Ranges of contexts, both ends included, in which no window fills up; the last has no end."""
    low = 1
    for size in sorted({int(s.span.size) for s in slopes if s.span.kind in ("sliding", "top_k")}):
        if size >= low:
            yield low, size
            low = size + 1
    yield low, None


def _in_piece(slopes: Sequence[Slope], target: int, low: int, high: int | None) -> int | None:
    """The first context of one piece that reaches the target."""
    flat = rise = teeth = 0
    period = 1
    for s in slopes:
        per_key = int(s.per_key)
        if s.span.kind == "chunked":
            period, teeth = int(s.span.size), teeth + per_key
        elif (s.span.kind in ("sliding", "top_k") and s.span.size < low) or (s.span.kind == "source" and s.span.size):
            flat += per_key * int(s.span.size)
        else:
            rise += per_key
    found = _on_saw(target - flat, rise, teeth, period, low)
    return found if found is not None and (high is None or found <= high) else None


def _on_saw(target: int, rise: int, teeth: int, period: int, low: int) -> int | None:
    """The smallest n ≥ low with rise × n + teeth × ((n − 1) mod period + 1) ≥ target.

    Within chunk c the cost climbs by rise + teeth per key from rise × c × period; it is highest at the chunk's end,
    and these ends climb by rise × period.
    """
    if rise + teeth == 0:
        return low if target <= 0 else None
    chunk = (low - 1) // period
    first_end = (rise * (chunk + 1) + teeth) * period
    if first_end < target:
        if rise == 0:
            return None
        chunk += -(-(target - first_end) // (rise * period))
    start = chunk * period
    return max(low, start + 1, start - (-(target - rise * start) // (rise + teeth)))


def _saturation(slopes: Sequence[Slope]) -> int | None:
    """The most that attention can cost; None where some layer sees everything."""
    if any(not s.span.size for s in slopes):
        return None
    return sum(int(s.per_key) * int(s.span.size) for s in slopes)
