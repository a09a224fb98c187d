"""Mixing by a Fourier transform."""

from __future__ import annotations

from ffncalc.ir import Component, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Fourier(Component):
    """The real part of the transform over positions and channels (arXiv:2105.03824): no weights.

    A fast transform is no matrix product, so it counts as 0 FLOPs.
    """

    slot = "mixer"

    def tensors(self) -> tuple[Tensor, ...]:
        return ()

    def describe(self) -> str:
        return "fourier"
