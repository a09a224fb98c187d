"""Parameters: how many, where, and how many of them one token uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.moe import Expert, MoE
from ffncalc.formula import ZERO, Num, total
from ffncalc.ir import CATEGORIES, Block, Model, Role, Tensor, Use, walk

ROLES = tuple(Role)  # to go through an Enum is slow
MEMBERS = {name: [role for role in ROLES if role.category == name] for name in CATEGORIES}


@dataclass(frozen=True, kw_only=True)
class Expansion:
    """One FFN width of a model.

    `ratio` is hidden / width; `equivalent` is the parameters against the two-matrix FFN of 4 × width
    (gated: 3·ratio/8), 1.0 for the original Transformer.
    """

    kind: str  # dense, routed_expert, shared_expert
    layers: int
    runs: int  # how often one token runs through these layers: more than `layers` where weights are shared
    width: int
    hidden: int
    gated: bool
    activation: str

    @property
    def ratio(self) -> float:
        """FFN width / model width."""
        return self.hidden / self.width

    @property
    def equivalent(self) -> float:
        """Weights per layer against 2 × width × 4·width."""
        return (3 if self.gated else 2) * self.hidden / (8 * self.width)


@dataclass(frozen=True, kw_only=True)
class Params:
    """The count of a model; every number is a `Num` that knows its derivation."""

    total: int
    active: int
    active_matmul: int
    by_category: dict[str, int]
    active_by_category: dict[str, int]
    by_role: dict[str, int]
    tied_embeddings: bool
    buffers: int
    mtp: int
    mtp_stored: int
    expansion: tuple[Expansion, ...]
    slots: int

    @property
    def ffn_share(self) -> float:
        """FFN parameters / total."""
        return self.by_category["ffn"] / self.total if self.total else 0.0

    def to_dict(self) -> dict[str, object]:
        """The `params` object of the JSON contract."""
        return {
            "total": int(self.total),
            "active": int(self.active),
            "active_matmul": int(self.active_matmul),
            "by_category": {name: int(n) for name, n in self.by_category.items()},
            "active_by_category": {name: int(n) for name, n in self.active_by_category.items()},
            "ffn": {
                "dense": int(self.by_role[Role.DENSE]),
                "routed_experts": int(self.by_role[Role.ROUTED]),
                "shared_experts": int(self.by_role[Role.SHARED]),
                "slots": int(self.slots),
            },
            "tied_embeddings": self.tied_embeddings,
            "checkpoint_extra": {
                "buffers": int(self.buffers),
                "mtp": int(self.mtp),
                "mtp_stored": int(self.mtp_stored),
            },
            "ffn_share": self.ffn_share,
            "expansion": [
                {
                    "kind": e.kind,
                    "layers": e.layers,
                    "runs": e.runs,
                    "width": int(e.width),
                    "hidden": int(e.hidden),
                    "ratio": e.ratio,
                    "gated": e.gated,
                    "activation": e.activation,
                    "parameter_equivalent": e.equivalent,
                }
                for e in self.expansion
            ],
        }


def params(model: Model) -> Params:
    """Count a model: tied weights once, buffers and multi-token-prediction layers apart."""
    stored: dict[Role, list[int]] = defaultdict(list)
    used: dict[Role, list[int]] = defaultdict(list)
    multiplied = []
    tied = False
    for block in model.blocks:
        own, product = defaultdict(list), []
        for part in block.parts:
            for tensor in part.weights:
                role = block.role(tensor)
                if not tensor.tied:
                    own[role].append(tensor)
                elif role is Role.HEAD and tensor.use is Use.MATMUL:
                    tied = True
                if multiplies(tensor, role):
                    product.append(tensor.met)
        for role, tensors in own.items():
            whole = times(block.count, total([t.stored for t in tensors]))
            stored[role].append(whole)
            if any(t.used != t.copies for t in tensors):
                whole = times(block.count, total([t.met for t in tensors]))
            used[role].append(whole)
        multiplied.append(times(block.count, total(product)))
    by_role = {role: total(stored[role]) if role in stored else ZERO for role in ROLES}
    active_by_role = {role: n if used[role] == stored[role] else total(used[role]) for role, n in by_role.items()}
    extra, extra_stored = [], []
    for block in model.mtp:
        tensors = [t for part in block.parts for t in (*part.weights, *part.buffers())]
        extra_stored.append(whole := times(block.count, total([t.stored for t in tensors])))
        shared = any(t.tied for t in tensors)
        extra.append(times(block.count, total([t.params for t in tensors])) if shared else whole)
    return Params(
        total=total(by_role.values()),
        active=total(active_by_role.values()),
        active_matmul=total(multiplied),
        by_category=_by_category(by_role),
        active_by_category=_by_category(active_by_role),
        by_role={str(role): n for role, n in by_role.items()},
        tied_embeddings=tied,
        buffers=total(times(b.count, t.stored) for b, _, t in walk(model.blocks, buffers=True)),
        mtp=total(extra),
        mtp_stored=total(extra_stored),
        expansion=tuple(expansions(model)),
        slots=slots(model),
    )


def times(count: int, number: int) -> int:
    """`count × number`, leaving out a factor of one or zero so that derivations stay short."""
    return number if count == 1 or not number else count * number


def multiplies(tensor: Tensor, role: Role) -> bool:
    """Whether a weight multiplies one text token: none of a tower does, and shared weights count once.

    A tied head does count: the embedding it is tied to is only looked up.
    """
    if tensor.use is not Use.MATMUL or role is Role.MULTIMODAL:
        return False
    return not tensor.tied or role is Role.HEAD


def expansions(model: Model) -> Iterator[Expansion]:
    """The distinct FFN widths of a model, each with the number of layers that have it."""
    found: dict[tuple[str, int, int, bool, str], tuple[int, int]] = {}
    for block, kind, ffn, _ in _networks(model):
        key = (kind, ffn.width, ffn.hidden, ffn.gated, ffn.activation)
        count, runs = found.get(key, (0, 0))
        found[key] = count + block.count, runs + block.count * block.calls
    for (kind, width, hidden, gated, activation), (count, runs) in found.items():
        yield Expansion(
            kind=kind, layers=count, runs=runs, width=width, hidden=hidden, gated=gated, activation=activation
        )


def slots(model: Model) -> int:
    """Key–value slots: hidden units of all FFNs, every expert counted (arXiv:2012.14913 reads an FFN as a memory)."""
    return total(times(count, copies * ffn.hidden) for count, _, ffn, copies in networks(model))


def networks(model: Model) -> Iterator[tuple[int, str, Expert, int]]:
    """(layers, kind, FFN, copies) of every FFN: dense, routed_expert (a copy per expert), shared_expert."""
    for block, kind, ffn, copies in _networks(model):
        yield block.count, kind, ffn, copies


def _networks(model: Model) -> Iterator[tuple[Block, str, Expert, int]]:
    for block in model.layers:
        for part in block.parts:
            if isinstance(part, MoE):
                yield block, "routed_expert", part.expert, part.experts
                if part.shared is not None:
                    yield block, "shared_expert", part.shared, 1
            elif isinstance(part, GatedFFN | FFN):
                yield block, "shared_expert" if part.role is Role.SHARED else "dense", part, 1


def _by_category(by_role: dict[Role, Num]) -> dict[str, int]:
    return {name: total([by_role[role] for role in roles]) for name, roles in MEMBERS.items()}
