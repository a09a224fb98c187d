"""One row per model: what people line up when they choose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from ffncalc.analysis.crossover import crossover
from ffncalc.analysis.names import ffn_kind
from ffncalc.analysis.params import params
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.ir import Model


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The headline numbers of a model.

    `ffn_width` is the width of the kind of FFN that holds most parameters, of one expert where it has experts;
    `expansion` is that width / `hidden`. They are None for a model without FFN. `crossover` is the context from which
    the attention core costs a decoded token more than the FFN, None where it never does.
    """

    layers: int
    hidden: int
    ffn_width: int | None
    expansion: float | None
    ffn_kind: str
    experts: int | None
    top_k: int | None
    total: int
    active: int
    ffn_share: float
    crossover: int | None

    def to_dict(self) -> dict[str, object]:
        """The `summary` object in JSON."""
        return {name: int(v) if isinstance(v, int) else v for name, v in asdict(self).items()}


def summary(model: Model) -> Summary:
    """The row of one model."""
    counted = params(model)
    main = _main(model)
    ffn = main.expert if isinstance(main, MoE) else main
    experts = main if isinstance(main, MoE) else None
    return Summary(
        layers=model.layer_count,
        hidden=model.width,
        ffn_width=ffn.hidden if ffn else None,
        expansion=ffn.hidden / ffn.width if ffn else None,
        ffn_kind=ffn_kind(ffn.activation, gated=ffn.gated) if ffn else "",
        experts=experts.experts if experts else None,
        top_k=experts.top_k if experts else None,
        total=counted.total,
        active=counted.active,
        ffn_share=counted.ffn_share,
        crossover=crossover(model).ctx,
    )


def _main(model: Model) -> MoE | GatedFFN | FFN | None:
    """The FFN that holds most parameters over all layers."""
    sizes: dict[MoE | GatedFFN | FFN, int] = {}
    for block in model.layers:
        for part in block.parts:
            if isinstance(part, MoE | GatedFFN | FFN):
                sizes[part] = sizes.get(part, 0) + block.count * sum(int(t.params) for t in part.weights)
    return max(sizes, key=lambda part: sizes[part], default=None)


def compare(models: Iterable[Model]) -> tuple[Summary, ...]:
    """One row per model, in order."""
    return tuple(map(summary, models))
