"""The FFNs of a model: one card per kind of layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ffncalc.analysis.cost import cost
from ffncalc.analysis.form import Form, Slice, form, memory, parts
from ffncalc.analysis.names import ffn_kind
from ffncalc.analysis.params import times
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.moe import Expert, MoE
from ffncalc.components.norm import Norm
from ffncalc.components.rwkv import Receptance
from ffncalc.formula import total
from ffncalc.ir import Block, Component, Model, Role, Stream, Tensor, Use

FFN_ROLES = (Role.DENSE, Role.ROUTED, Role.SHARED)


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """A tensor of one layer: which part it is, its name and shape in the checkpoint, and its parameters.

    In the name `{layer}` stands for the layer number, `{}` for the expert, of which there are `count`.
    """

    part: str
    name: str
    shape: tuple[int, ...]
    count: int
    params: int

    def to_dict(self) -> dict[str, object]:
        """The tensor in JSON."""
        return {
            "part": self.part,
            "name": self.name,
            "shape": [int(n) for n in self.shape],
            "count": int(self.count),
            "params": int(self.params),
        }


@dataclass(frozen=True, kw_only=True)
class Network:
    """One FFN of a layer, or `copies` equal experts of which a token uses `used`.

    `params` are those of all copies, `one` those of one. `key` and `value` are slot i of the reading as a memory.
    """

    kind: str  # dense, routed_expert, shared_expert
    form: Form
    width: int
    hidden: int
    copies: int
    used: int
    matrices: tuple[Matrix, ...]
    params: int
    one: int
    flops: int
    key: tuple[Slice, ...]
    value: Slice

    @property
    def name(self) -> str:
        """SwiGLU, GELU, clamped SwiGLU …"""
        clamped = "clamped " if self.form.clamp else ""
        return clamped + ffn_kind(self.form.activation, gated=self.form.gated)

    @property
    def ratio(self) -> float:
        """FFN width / model width."""
        return self.hidden / self.width

    @property
    def equivalent(self) -> float:
        """Weights against the two-matrix FFN of four times the width: 2 × width × 4·width."""
        return (3 if self.form.gated else 2) * self.hidden / (8 * self.width)

    def to_dict(self) -> dict[str, object]:
        """The network in JSON."""
        return {
            "kind": self.kind,
            "name": self.name,
            **self.form.to_dict(),
            "width": int(self.width),
            "hidden": int(self.hidden),
            "ratio": self.ratio,
            "parameter_equivalent": self.equivalent,
            "copies": int(self.copies),
            "used": int(self.used),
            "params": int(self.params),
            "params_each": int(self.one),
            "flops": int(self.flops),
            "key": [each.to_dict() for each in self.key],
            "value": self.value.to_dict(),
            "tensors": [each.to_dict() for each in self.matrices],
        }


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Layers whose FFNs are equal; numbers are per layer. Without `networks` these layers have no FFN.

    `besides` are tensors that belong to the FFN but to none of its networks (RWKV's receptance, adapters).
    """

    stack: str
    indexes: tuple[int, ...]
    calls: int
    stream: Stream
    networks: tuple[Network, ...]
    besides: tuple[Matrix, ...]
    params: int
    active: int
    router: int
    flops: int

    @property
    def layers(self) -> int:
        """How many layers there are of this kind."""
        return len(self.indexes)

    @property
    def slots(self) -> int:
        """Key–value slots of all these layers."""
        return total(times(self.layers, each.copies * each.hidden) for each in self.networks)

    def to_dict(self) -> dict[str, object]:
        """The kind in JSON."""
        return {
            "stack": self.stack,
            "indexes": list(self.indexes),
            "layers": self.layers,
            "calls": self.calls,
            "params": int(self.params),
            "active": int(self.active),
            "router": int(self.router),
            "flops": int(self.flops),
            "slots": int(self.slots),
            "networks": [each.to_dict() for each in self.networks],
            "other_tensors": [each.to_dict() for each in self.besides],
        }


@dataclass(frozen=True, kw_only=True)
class Card:
    """The FFNs of a model. `params` counts shared layers once, `flops` are those of one decoded token."""

    kinds: tuple[Kind, ...]
    layers: int
    width: int
    params: int
    active: int
    flops: int
    slots: int

    @property
    def having(self) -> tuple[Kind, ...]:
        """The kinds of layers that have an FFN."""
        return tuple(kind for kind in self.kinds if kind.networks)

    @property
    def forms(self) -> tuple[Form, ...]:
        """The distinct forms, biases apart."""
        found = (replace(each.form, bias=False) for kind in self.having for each in kind.networks)
        return tuple(dict.fromkeys(found))

    def to_dict(self) -> dict[str, object]:
        """The `ffn` object of the JSON contract."""
        return {
            "layers": self.layers,
            "layers_without": sum(kind.layers for kind in self.kinds if not kind.networks),
            "width": int(self.width),
            "params": int(self.params),
            "active": int(self.active),
            "flops": int(self.flops),
            "slots": int(self.slots),
            "kinds": [kind.to_dict() for kind in self.having],
        }


def ffn(model: Model) -> Card:
    """The FFNs of a model, one kind per group of layers whose FFNs are equal (towers for images and sound apart)."""
    kinds: dict[object, Kind] = {}
    for block in model.layers:
        kind = _kind(block)
        key = (kind.stack, kind.calls, kind.networks, kind.besides)
        seen = kinds.get(key)
        indexes = tuple(sorted((*(seen.indexes if seen else ()), *kind.indexes)))
        kinds[key] = replace(kind, indexes=indexes)
    found = tuple(sorted(kinds.values(), key=lambda kind: kind.stream is Stream.TOKEN))  # stable: encoders first
    return Card(
        kinds=found,
        layers=sum(kind.layers for kind in found),
        width=model.width,
        params=total(times(kind.layers, kind.params) for kind in found),
        active=total(times(kind.layers, kind.active) for kind in found),
        flops=cost(model).ffn,
        slots=total(kind.slots for kind in found),
    )


def _kind(block: Block) -> Kind:
    owned = [(part, t) for part in block.parts for t in part.weights if block.role(t) in FFN_ROLES]
    networks: list[Network] = []
    taken: set[int] = set()
    for part in block.parts:
        for kind, component, copies, used, prefix, tensors in _networks(part):
            networks.append(_network(block, kind, component, copies, used, prefix, tensors))
            taken.update(map(id, tensors))
    return Kind(
        stack=block.prefix,
        indexes=block.indexes,
        calls=block.calls,
        stream=block.stream,
        networks=tuple(networks),
        besides=tuple(
            Matrix(part="", name=block.named(p, t), shape=t.stored_shape, count=t.count, params=t.params)
            for p, t in owned
            if id(t) not in taken
        ),
        params=total(t.params for _, t in owned),
        active=total(t.active for _, t in owned),
        router=total(t.params for part in block.parts for t in part.weights if block.role(t) is Role.ROUTER),
        flops=2 * total(t.met for _, t in owned if t.use is Use.MATMUL),
    )


Found = tuple[str, Expert, int, int, str, list[Tensor]]


def _networks(part: Component) -> Iterator[Found]:
    """(kind, FFN, copies, used, module, tensors) of each FFN in a part of a layer."""
    if isinstance(part, MoE):
        routed = [t for t in part.weights if t.role is Role.ROUTED]
        name = ".".join(filter(None, (part.name, part.expert.name)))
        yield "routed_expert", part.expert, part.experts, part.top_k, name, routed
        if part.shared is not None:
            shared = [t for t in part.weights if t.role is Role.SHARED]
            yield "shared_expert", part.shared, 1, 1, f"{part.name}.{part.shared.name}", shared
    elif isinstance(part, GatedFFN | FFN):
        yield "shared_expert" if part.role is Role.SHARED else "dense", part, 1, 1, part.name, list(part.weights)


def _network(
    block: Block, kind: str, component: Expert, copies: int, used: int, module: str, tensors: list[Tensor]
) -> Network:
    named = parts(component)
    keys, value = memory(component)
    own = {leaf: f"{component.name}.{leaf}" if component.name and copies * used > 1 else leaf for leaf in named}
    return Network(
        kind=kind,
        form=form(
            component,
            normed=_normed(block, module, component.hidden),
            receptance=any(isinstance(part, Receptance) for part in block.parts),
        ),
        width=component.width,
        hidden=component.hidden,
        copies=copies,
        used=used,
        matrices=tuple(_matrices(block, named, module, tensors)),
        params=total(t.params for t in tensors),
        one=total(t.size for t in tensors if not t.tied),
        flops=2 * total(t.met for t in tensors if t.use is Use.MATMUL),
        key=tuple(replace(each, tensor=own[each.tensor]) for each in keys),
        value=replace(value, tensor=own[value.tensor]),
    )


def _matrices(block: Block, named: dict[str, str], module: str, tensors: Iterable[Tensor]) -> Iterator[Matrix]:
    prefix = ".".join(filter(None, (block.prefix.replace("{}", "{layer}", 1), module)))
    for tensor in tensors:
        leaf = next(leaf for leaf in named if tensor.name == leaf or tensor.name.endswith(f".{leaf}"))
        yield Matrix(
            part=named[leaf],
            name=f"{prefix}.{leaf}",
            shape=tensor.stored_shape,
            count=tensor.count,
            params=tensor.params,
        )


def _normed(block: Block, module: str, hidden: int) -> bool:
    """Whether the hidden units are normed before down: a norm of their width stands in the module."""
    return any(
        isinstance(part, Norm) and part.width == hidden and part.name.startswith(f"{module}.") for part in block.parts
    )
