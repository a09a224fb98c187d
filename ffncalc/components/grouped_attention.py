"""Attention whose projections are grouped convolutions over single positions."""

from __future__ import annotations

from ffncalc.components.attention import core
from ffncalc.components.linear import vector
from ffncalc.ir import Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class GroupedAttention(Component):
    """Multi-head attention of SqueezeBERT (arXiv:2006.11316): each output channel reads the inputs of its group.

    Weights: query, key, value and output [width, width / groups, 1], with biases [width].
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    groups: tuple[int, int, int, int]

    def tensors(self) -> tuple[Tensor, ...]:
        names = ("attention.query", "attention.key", "attention.value", "post_attention.conv1d")
        return tuple(
            tensor
            for name, groups in zip(names, self.groups, strict=True)
            for tensor in (
                Tensor(f"{name}.weight", (self.width, self.width // groups, 1), Role.ATTENTION),
                vector(f"{name}.bias", self.width, Role.ATTENTION),
            )
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (Mixing(per_key=core(self.heads, self.head_dim)),)

    def describe(self) -> str:
        return "full attention"
