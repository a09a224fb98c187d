"""Mixtures of experts: how many, how wide, how much of them one token uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ffncalc.analysis.params import params, times
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.formula import total
from ffncalc.ir import Block, Model, Role, Tensor

Shape = tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class Experts:
    """One kind of MoE layer; all numbers but `layers` are those of one layer.

    `shared_width` is the width of all FFNs that every token uses besides the chosen experts. `pool` are the weights
    of all its experts, routed and shared, `active` those that one token uses; routers are in neither.
    """

    layers: int
    experts: int
    top_k: int
    expert_width: int
    shared_width: int
    gated: bool
    activation: str
    params_per_expert: int
    routed: int
    shared: int
    pool: int
    active: int
    router: int

    @property
    def sparsity(self) -> float:
        """Routed experts for each one chosen (the sparsity of Kimi-K2's report: 384 / 8 = 48)."""
        return self.experts / self.top_k

    def to_dict(self) -> dict[str, object]:
        """As in the JSON contract."""
        return {
            "layers": self.layers,
            "experts": int(self.experts),
            "top_k": int(self.top_k),
            "expert_width": int(self.expert_width),
            "shared_width": int(self.shared_width),
            "gated": self.gated,
            "activation": self.activation,
            "params_per_expert": int(self.params_per_expert),
            "routed_per_layer": int(self.routed),
            "shared_per_layer": int(self.shared),
            "pool_per_layer": int(self.pool),
            "active_per_layer": int(self.active),
            "router_per_layer": int(self.router),
            "sparsity": self.sparsity,
        }


@dataclass(frozen=True, kw_only=True)
class Moe:
    """The experts of a model; every number is a `Num` that knows its derivation.

    `kinds` are its different MoE layers, the most frequent first. `total` and `active` are those of the whole model.
    The dense layers are those without experts; `dense_params` is the FFN of one of them, 0 where there are none.
    """

    kinds: tuple[Experts, ...]
    total: int
    active: int
    routed: int
    router: int
    dense_layers: int
    dense_width: int
    dense_params: int

    @property
    def main(self) -> Experts:
        """The most frequent kind of MoE layer."""
        return self.kinds[0]

    @property
    def layers(self) -> int:
        """MoE layers of all kinds."""
        return sum(kind.layers for kind in self.kinds)

    @property
    def pool_reference(self) -> str:
        """What the pool is compared with: `dense layer`, or `active experts` where no layer is dense."""
        return "dense layer" if self.dense_params else "active experts"

    @property
    def pool_ratio(self) -> float:
        """All expert weights of a MoE layer against the FFN of a dense layer.

        Where no layer is dense: against an FFN as wide as what one token uses.
        """
        return self.main.pool / (self.dense_params or self.main.active)

    @property
    def active_share(self) -> float:
        """Active parameters of the model / all of them."""
        return self.active / self.total

    def to_dict(self) -> dict[str, Any]:
        """The `moe` object of the JSON contract: the most frequent kind of layer, and all kinds."""
        return self.main.to_dict() | {
            "layers": self.layers,
            "total": int(self.total),
            "active": int(self.active),
            "active_share": self.active_share,
            "routed": int(self.routed),
            "router": int(self.router),
            "dense_layers": self.dense_layers,
            "dense_width": int(self.dense_width) or None,
            "dense_params": int(self.dense_params) or None,
            "pool_ratio": self.pool_ratio,
            "pool_reference": self.pool_reference,
            "kinds": [kind.to_dict() for kind in self.kinds],
        }


def moe(model: Model) -> Moe | None:
    """The experts of a model; None where it has none."""
    found: dict[Shape, list[tuple[Block, MoE]]] = {}
    for block in model.layers:
        if (part := _moe(block)) is not None:
            key = (part.experts, part.top_k, part.expert.hidden, _shared_width(block))
            found.setdefault(key, []).append((block, part))
    if not found:
        return None
    kinds = sorted((_experts(equal) for equal in found.values()), key=lambda kind: -kind.layers)
    dense = [block for block in model.layers if _moe(block) is None and any(_ffns(block))]
    widest = max(dense, key=lambda block: block.count, default=None)
    counted = params(model)
    return Moe(
        kinds=tuple(kinds),
        total=counted.total,
        active=counted.active,
        routed=total(times(kind.layers, kind.routed) for kind in kinds),
        router=total(times(kind.layers, kind.router) for kind in kinds),
        dense_layers=sum(block.count for block in dense),
        dense_width=total(ffn.hidden for ffn in _ffns(widest)) if widest else 0,
        dense_params=_size(_tensors(widest), Role.DENSE, Role.SHARED) if widest else 0,
    )


def _experts(equal: list[tuple[Block, MoE]]) -> Experts:
    """The facts of equal MoE layers that stand in one or more blocks."""
    first, part = equal[0]
    tensors = _tensors(first)
    routed = [t for t in tensors if t.role is Role.ROUTED]
    per_expert = total(t.size for t in routed)
    every_token = _size(tensors, Role.DENSE, Role.SHARED)
    return Experts(
        layers=sum(block.count for block, _ in equal),
        experts=part.experts,
        top_k=part.top_k,
        expert_width=part.expert.hidden,
        shared_width=_shared_width(first),
        gated=part.expert.gated,
        activation=part.expert.activation,
        params_per_expert=per_expert,
        routed=total(t.stored for t in routed),
        shared=every_token,
        pool=total((*(t.stored for t in routed), every_token)),
        active=total((*(t.active for t in routed), every_token)),
        router=_size(tensors, Role.ROUTER),
    )


def _moe(block: Block) -> MoE | None:
    return next((part for part in block.parts if isinstance(part, MoE)), None)


def _ffns(block: Block) -> Iterator[GatedFFN | FFN]:
    """The FFNs of a block that every token uses."""
    for part in block.parts:
        if isinstance(part, GatedFFN | FFN):
            yield part
        elif isinstance(part, MoE) and part.shared is not None:
            yield part.shared


def _shared_width(block: Block) -> int:
    return total(ffn.hidden for ffn in _ffns(block))


def _tensors(block: Block) -> list[Tensor]:
    return [tensor for part in block.parts for tensor in part.tensors() if not tensor.tied]


def _size(tensors: Iterable[Tensor], *roles: Role) -> int:
    return total(t.stored for t in tensors if t.role in roles)
