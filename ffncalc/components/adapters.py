"""Adapters: small FFNs after the FFN of a layer, one for each language."""

from __future__ import annotations

from dataclasses import replace

from ffncalc.components.linear import linear
from ffncalc.ir import Component, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Adapters(Component):
    """dense2(act(dense1(x))) of the language of the text (arXiv:2205.06266): all are stored, one is used.

    Weights: dense1 [hidden, width] and dense2 [width, hidden], with biases, for each of `names`.
    """

    width: int
    hidden: int
    names: tuple[str, ...]

    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(
            replace(tensor, used=int(i == 0))
            for i, name in enumerate(self.names)
            for tensor in (
                *linear(f"{name}.dense1", self.width, self.hidden, Role.DENSE, bias=True),
                *linear(f"{name}.dense2", self.hidden, self.width, Role.DENSE, bias=True),
            )
        )
