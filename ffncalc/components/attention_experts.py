"""Attention whose query and output projections are experts."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import linear, vector
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class AttentionExperts(Component):
    """Mixture of attention heads (arXiv:2210.05144): a token chooses `top_k` of `experts` pairs of projections.

    Each pair has as many heads as there are keys: `top_k` queries meet one key. Weights, inner being kv_heads·head_dim:
    experts.input_linear [experts, inner, width], experts.output_linear [experts, width, inner], a router
    [experts, width], a bias [width], and kv_proj [2·inner, width], which every token uses.
    """

    slot = "mixer"

    width: int
    kv_heads: int
    head_dim: int
    experts: int
    top_k: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner, role = self.kv_heads * self.head_dim, Role.ATTENTION
        shapes = {"input_linear": (inner, self.width), "output_linear": (self.width, inner)}
        return (
            vector("experts.bias", self.width, role),
            *(
                Tensor(f"experts.{name}.weight", shape, role, copies=self.experts, used=self.top_k, stacked=True)
                for name, shape in shapes.items()
            ),
            *linear("experts.router.layer", self.width, self.experts, Role.ROUTER),
            *linear("kv_proj", self.width, 2 * inner, role),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.top_k * self.kv_heads, self.head_dim)),)

    def cache(self) -> tuple[Cache, ...]:
        return (Cache(per_token=2 * self.kv_heads * self.head_dim),)

    def describe(self) -> str:
        return "full attention of experts"
