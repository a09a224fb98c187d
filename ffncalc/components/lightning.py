"""Lightning attention: linear attention with a fixed decay per head."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.components.norm import norm
from ffncalc.components.recurrence import recurrence, state
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class LightningAttention(Component):
    """S ← λ S + kᵀ v, o = q S per head, normed and gated (arXiv:2401.04658, MiniMax-01 arXiv:2501.08313).

    Weights: qkv [3·heads·head_dim, width], output_gate [heads·head_dim, width], out [width, heads·head_dim],
    norm [heads·head_dim]. The state of a head is [head_dim, head_dim]; each element sees three products: decay,
    write, readout.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner = self.heads * self.head_dim
        return (
            *linear("qkv_proj", self.width, 3 * inner, Role.MIXER),
            *linear("out_proj", inner, self.width, Role.MIXER),
            *linear("output_gate", self.width, inner, Role.MIXER),
            *norm("norm", inner),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.heads * self.head_dim * self.head_dim, 3, "arXiv:2501.08313, section 2.2"),)

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.heads * self.head_dim * self.head_dim),)

    def describe(self) -> str:
        return "lightning attention"
