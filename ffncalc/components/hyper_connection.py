"""Hyper-connections: several residual streams that are mixed around every block."""

from __future__ import annotations

from ffncalc.ir import Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class HyperConnection(Component):
    """Weights from `streams` residual streams for reading, writing and mixing them (arXiv:2409.19606, 2512.24880).

    `name` ends in the prefix of its tensors. Weights: fn [(2 + streams)·streams, streams·width], base, scale [3].
    `head`: the last one only reads, fn [streams, streams·width], base [streams], scale [1].
    """

    width: int
    streams: int
    prefix: str
    head: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        outputs = self.streams if self.head else (2 + self.streams) * self.streams
        base, scale = (
            Tensor(f"{self.prefix}_{name}", shape, Role.OTHER, use=Use.ELEMENTWISE)
            for name, shape in (
                ("base", (outputs,)),
                ("scale", (1 if self.head else 3,)),
            )
        )
        return (Tensor(f"{self.prefix}_fn", (outputs, self.streams * self.width), Role.OTHER), base, scale)

    def mixing(self) -> tuple[Mixing, ...]:
        """The product of the mixing matrix with the streams; reading and writing are no matrix products."""
        if self.head:
            return ()
        flops = 2 * self.streams * self.streams * self.width
        return (Mixing(per_token=flops, role=Role.OTHER, source="arXiv:2512.24880"),)
