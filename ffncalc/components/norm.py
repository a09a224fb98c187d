"""Normalisation layers."""

from __future__ import annotations

from ffncalc.components.linear import dotted, vector
from ffncalc.ir import Component, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Norm(Component):
    """RMSNorm [width] (arXiv:1910.07467), or LayerNorm with a `bias` [width] (arXiv:1607.06450)."""

    width: int
    bias: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        return norm("", self.width, bias=self.bias)


def norm(name: str, width: int, *, bias: bool = False) -> tuple[Tensor, ...]:
    """The tensors of a norm that is a submodule of another component."""
    weight = vector(dotted(name, "weight"), width, Role.NORM)
    return (weight, vector(dotted(name, "bias"), width, Role.NORM)) if bias else (weight,)
