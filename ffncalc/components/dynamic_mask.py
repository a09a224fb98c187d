"""Doge's dynamic mask: which keys are worth attending, told by their values."""

from __future__ import annotations

from ffncalc.components.linear import linear, vector
from ffncalc.ir import Component, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class DynamicMask(Component):
    """exp(A · softplus(dt(v))) for each key and kv head; the best keys are attended (arXiv:2412.11834).

    Weights: dt_proj [kv_heads, kv_heads·head_dim] and A [kv_heads].
    """

    kv_heads: int
    head_dim: int
    bias: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        width = self.kv_heads * self.head_dim
        return (
            vector("A", self.kv_heads, Role.ATTENTION),
            *linear("dt_proj", width, self.kv_heads, Role.ATTENTION, bias=self.bias),
        )
