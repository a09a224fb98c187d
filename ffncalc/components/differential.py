"""What differential attention has besides grouped-query attention."""

from __future__ import annotations

from ffncalc.components.linear import vector
from ffncalc.ir import Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Difference(Component):
    """softmax(q1 k1) - λ·softmax(q2 k2), each on the values of two heads (arXiv:2410.05258, section 2.1).

    λ comes from four vectors [head_dim]. A head's scores meet values of twice `head_dim`: one product per key more
    than in plain attention. (transformers 5.24 works out q·k once more, for the second half of the values.)
    """

    heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        names = ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")
        return tuple(vector(name, self.head_dim, Role.ATTENTION) for name in names)

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=2 * self.heads * self.head_dim),)
