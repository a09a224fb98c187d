"""Low-rank adapters (arXiv:2106.09685): what they add to a model, counted as PEFT does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ffncalc.analysis.lora_targets import PLACE, REFUSED, Place, is_matrix, is_stacked, path, picked, possible, tail
from ffncalc.analysis.params import networks, params, times
from ffncalc.errors import UsageError, shown
from ffncalc.fields import LARGEST
from ffncalc.formula import Num, total
from ffncalc.ir import CATEGORIES, Model, Role, Tensor

BYTES = {"bf16": 2, "fp32": 4}


@dataclass(frozen=True, kw_only=True)
class Module:
    """A matrix [out, width] that gets an adapter: rank × (width + out) parameters, in each of `count` places.

    `stacked`: it is a slice of a tensor that holds all experts, and no module of its own.
    """

    name: str
    role: Role
    width: int
    out: int
    count: int
    stacked: bool
    params: int

    @property
    def each(self) -> int:
        """Parameters of one adapter."""
        return self.params // self.count

    def to_dict(self) -> dict[str, object]:
        """The module in JSON."""
        return {
            "name": self.name,
            "role": self.role.value,
            "in": int(self.width),
            "out": int(self.out),
            "count": int(self.count),
            "params": int(self.params),
        }


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Equal layers, and what the adapters add to one of them."""

    stack: str
    indexes: tuple[int, ...]
    params: int


@dataclass(frozen=True, kw_only=True)
class Lora:
    """Adapters of one rank on some matrices of a model.

    `target_modules` are the names as PEFT takes them, a regular expression where no list of endings is unambiguous;
    `target_parameters` the tensors that hold all experts. `left_out` are routed experts that were not asked for.
    """

    rank: int
    targets: tuple[str, ...]
    experts: bool
    modules: tuple[Module, ...]
    layers: tuple[Layers, ...]
    target_modules: tuple[str, ...] | str
    target_parameters: tuple[str, ...]
    total: int
    left_out: int

    @property
    def trainable(self) -> int:
        """Parameters of all adapters."""
        return total(module.params for module in self.modules)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the choice: a rank above the smaller side of a matrix only adds parameters."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        over = [min(m.width, m.out) for m in self.modules if self.rank > min(m.width, m.out)]
        if over:
            which = f"{len(over)} of {len(self.modules)} kinds of matrices, the smallest {min(over):,}"
            yield f"rank {self.rank:,} is above the smaller side of {which}: a matrix has no higher rank than that"
        if self.experts and all(m.role is not Role.ROUTED for m in self.modules):
            yield "experts change no number: no routed expert is among the targets"

    @property
    def share(self) -> float:
        """Trainable parameters / parameters of the model."""
        return self.trainable / self.total

    @property
    def by_category(self) -> dict[str, int]:
        """Trainable parameters by the category of the matrices they adapt."""
        return {name: total(m.params for m in self.modules if m.role.category == name) for name in CATEGORIES}

    def to_dict(self) -> dict[str, object]:
        """The `lora` object of the JSON contract."""
        return {
            "rank": int(self.rank),
            "targets": list(self.targets),
            "experts": self.experts,
            "trainable": int(self.trainable),
            "total": int(self.total),
            "share": self.share,
            "share_with_adapters": self.trainable / (self.total + self.trainable),
            "bytes": {name: size * int(self.trainable) for name, size in BYTES.items()},
            "by_category": {name: int(n) for name, n in self.by_category.items()},
            "target_modules": self.target_modules
            if isinstance(self.target_modules, str)
            else list(self.target_modules),
            "target_parameters": list(self.target_parameters),
            "experts_left_out": int(self.left_out),
            "layers": [
                {"stack": each.stack, "indexes": list(each.indexes), "params": int(each.params)} for each in self.layers
            ],
            "modules": [module.to_dict() for module in self.modules],
        }


def lora(model: Model, *, rank: int = 16, target: str | Sequence[str] = "all", experts: bool = False) -> Lora:
    """Adapters of `rank` on the matrices that `target` names: ffn, attention, all, or names as PEFT takes them.

    `all` are FFN, attention and other mixers: every matrix of the layers but routers, and what PEFT refuses. `experts`
    adds the routed experts to `ffn` and `all`, one adapter for each matrix as the checkpoint stores it, or for each
    slice of a stack. A name is the end of a module's path, `q_proj` or `self_attn.q_proj`.

    Raises:
        UsageError: the rank is out of bounds, a name fits no matrix, or nothing is left to adapt.
    """
    if not 1 <= rank <= LARGEST:
        raise UsageError(f"the rank must be between 1 and {LARGEST:,}, got {shown(rank)}")
    rank = Num(rank, "rank")
    given = target.split(",") if isinstance(target, str) else list(target)
    names = tuple(dict.fromkeys(name.strip() for name in given if name.strip()))
    if not names:
        raise UsageError("no target was named", "For example ffn, attention, all, or q_proj,v_proj.")
    places = [place for place in model.tensors() if is_matrix(place)]
    refused = [name for name, types in REFUSED.items() if model.model_type in types]
    hits = picked(places, names, experts, refused)
    chosen = [place for i, place in enumerate(places) if i in hits]
    others = [path(place) for i, place in enumerate(places) if i not in hits]
    left = 0 if experts or not {"ffn", "all"} & set(names) else routed(model)
    if not chosen and not left:
        raise UsageError(f"no matrix of this model belongs to {' or '.join(names)}", possible(places, refused))
    return Lora(
        rank=rank,
        targets=names,
        experts=experts,
        modules=tuple(_merged(_module(place, rank) for place in chosen)),
        layers=tuple(_layers(model, chosen, rank)),
        target_modules=_endings([path(p) for p in chosen if not is_stacked(p[2])], others),
        target_parameters=tuple(dict.fromkeys(tail(path(p)) for p in chosen if is_stacked(p[2]))),
        total=params(model).total,
        left_out=left,
    )


def routed(model: Model) -> int:
    """Routed experts of all layers."""
    return sum(count * int(copies) for count, kind, _, copies in networks(model) if kind == "routed_expert")


def _module(place: Place, rank: int) -> Module:
    block, _, tensor = place
    out, width = _shape(tensor)
    count = block.count * _copies(tensor)
    return Module(
        name=path(place),
        role=block.role(tensor),
        width=width,
        out=out,
        count=count,
        stacked=is_stacked(tensor),
        params=times(count, rank * (width + out)),
    )


def _shape(tensor: Tensor) -> tuple[int, int]:
    """[out, in] of the matrix that gets an adapter, however it is stored: experts joined row by row are one."""
    rows, columns = tensor.stored_shape if tensor.joined else tensor.shape
    return (columns, rows) if tensor.transposed else (rows, columns)


def _copies(tensor: Tensor) -> int:
    return 1 if tensor.joined else tensor.copies


def _merged(modules: Iterable[Module]) -> Iterator[Module]:
    """Modules of the same name and shape together, whatever their layers."""
    found: dict[tuple[str, int, int], Module] = {}
    for each in modules:
        key = (each.name, each.width, each.out)
        if (seen := found.get(key)) is not None:
            each = replace(seen, count=seen.count + each.count, params=seen.params + each.params)
        found[key] = each
    yield from found.values()


def _layers(model: Model, chosen: list[Place], rank: int) -> Iterator[Layers]:
    """What one layer of each kind gets; kinds that get the same are one."""
    found: dict[tuple[str, int], Layers] = {}
    for block in model.layers:
        own = [t for b, _, t in chosen if b is block]
        size = total(times(_copies(t), rank * sum(_shape(t))) for t in own)
        key = (block.prefix, int(size))
        seen = found[key].indexes if key in found else ()
        found[key] = Layers(stack=block.prefix, indexes=tuple(sorted((*seen, *block.indexes))), params=size)
    yield from found.values()


def _endings(wanted: list[str], others: list[str]) -> tuple[str, ...] | str:
    """The shortest endings that fit the wanted paths and no other; one regular expression where they hold numbers."""
    found = list(dict.fromkeys(_ending(path, others) for path in dict.fromkeys(wanted)))
    if not any(PLACE.search(each) for each in found):
        return tuple(found)
    return rf"(.*\.)?({'|'.join(_regex(each) for each in found)})"


def _ending(path: str, others: list[str]) -> str:
    segments = path.split(".")
    for length in range(1, len(segments)):
        ending = ".".join(segments[-length:])
        pattern = re.compile(rf"(.*\.)?{_regex(ending)}")
        if not PLACE.fullmatch(segments[-length]) and not any(pattern.fullmatch(PLACE.sub("0", o)) for o in others):
            return ending
    return path


def _regex(ending: str) -> str:
    return r"\d+".join(re.escape(text) for text in PLACE.split(ending)[::2])
