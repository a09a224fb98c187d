"""Attention with relative positions in the style of Transformer-XL: XLNet and Funnel."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.ir import Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


def stacked(name: str, *shape: int, use: Use = Use.MATMUL) -> Tensor:
    """A weight that is not a module: heads apart from their width."""
    return Tensor(name, shape, Role.ATTENTION, use=use)


@record(frozen=True, kw_only=True)
class RelativeAttention(Component):
    """score = (q + u)·k + (q + v)·r(distance) + (q + s)·segment (arXiv:1901.02860, XLNet arXiv:1906.08237).

    Weights: q, k, v, o and r [width, heads, head_dim], biases u, v and s [heads, head_dim], seg_embed
    [2, heads, head_dim]. r multiplies the 2n distances of a text of n tokens, and each query meets all of them.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        shape = (self.width, self.heads, self.head_dim)
        return (
            *(stacked(name, *shape) for name in "qkvo"),
            stacked("r", *shape, use=Use.ELEMENTWISE),  # its cost is in `mixing`
            *(stacked(f"r_{name}_bias", self.heads, self.head_dim, use=Use.ELEMENTWISE) for name in ("r", "s", "w")),
            stacked("seg_embed", 2, self.heads, self.head_dim, use=Use.LOOKUP),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        """q·k, q·r for two distances per key, scores·v; two rows of r per token. Segments are left out of the input."""
        inner = self.heads * self.head_dim
        rows = Mixing(per_token=4 * self.width * inner, role=Role.ATTENTION, source="arXiv:1901.02860, section 3.3")
        return Mixing(per_key=8 * inner), rows

    def describe(self) -> str:
        return "relative attention"


@record(frozen=True, kw_only=True)
class FunnelAttention(Component):
    """Funnel's attention (arXiv:2006.03236): as XLNet's, with q, k and v as modules.

    Weights: q_head [heads·head_dim, width] without a bias, k_head and v_head with one, post_proj
    [width, heads·head_dim], r_kernel [width, heads, head_dim], three biases and seg_embed as in `RelativeAttention`.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner, role = self.heads * self.head_dim, Role.ATTENTION
        return (
            *linear("q_head", self.width, inner, role),
            *linear("k_head", self.width, inner, role, bias=True),
            *linear("v_head", self.width, inner, role, bias=True),
            *linear("post_proj", inner, self.width, role, bias=True),
            stacked("r_kernel", self.width, self.heads, self.head_dim, use=Use.ELEMENTWISE),
            *(stacked(f"r_{name}_bias", self.heads, self.head_dim, use=Use.ELEMENTWISE) for name in ("r", "s", "w")),
            stacked("seg_embed", 2, self.heads, self.head_dim, use=Use.LOOKUP),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        """As in `RelativeAttention`, and each query meets both segments."""
        inner = self.heads * self.head_dim
        segments = Mixing(per_token=4 * inner, role=Role.ATTENTION, source="arXiv:1906.08237, section 2.5")
        return *RelativeAttention("", width=self.width, heads=self.heads, head_dim=self.head_dim).mixing(), segments

    def describe(self) -> str:
        return "relative attention"
