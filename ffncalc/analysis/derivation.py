"""The steps of a count: one layer from the config, a category from its layers, the totals from the categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ffncalc import formula
from ffncalc.analysis.params import Params, multiplies
from ffncalc.formula import Num, total
from ffncalc.ir import CATEGORIES, Block, Component, Model, Role, Tensor, Use, walk

NAMES = {"ffn": "FFN"}  # categories that are not called by their own name
IDLE = {Use.LOOKUP: "embedding lookups", Use.SEQUENCE: "maps of the whole text"}  # what multiplies no token
ROLE_NAMES = {
    Role.TOKEN: "token embedding",
    Role.POSITION: "position embedding",
    Role.TYPE: "type embedding",
    Role.PER_LAYER: "per-layer embedding",
    Role.CROSS_ATTENTION: "cross attention",
    Role.INDEXER: "attention indexer",
    Role.DENSE: "dense FFN",
    Role.ROUTED: "routed experts",
    Role.SHARED: "shared experts",
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """`name = symbols = values = result`; symbols or values are empty where they would repeat their neighbour."""

    name: str
    symbols: str
    values: str
    result: int | float

    def __str__(self) -> str:
        result = f"{self.result:,}" if isinstance(self.result, int) else f"{self.result:.6g}"
        return " = ".join(filter(None, (self.name, self.symbols, self.values, result)))

    def to_dict(self) -> dict[str, object]:
        """The step in JSON."""
        result = int(self.result) if isinstance(self.result, int) else self.result
        return {"name": self.name, "symbols": self.symbols, "values": self.values, "result": result}


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """Steps under a title. `indexes` are the layers of `stack` that they are about, each run `calls` times."""

    title: str
    steps: tuple[Step, ...]
    indexes: tuple[int, ...] = ()
    stack: str = ""
    calls: int = 1


def layer_chapter(each: Gathered) -> Chapter:
    """What one layer holds, or everything outside the layers."""
    first = each.blocks[0]
    return Chapter(
        title=each.title,
        steps=tuple(_block_steps(each)),
        indexes=each.indexes,
        stack=first.prefix if each.indexes else "",
        calls=first.calls,
    )


def step(name: str, number: int) -> Step:
    """A number with its own derivation."""
    symbols, values = formula.symbols(number), formula.values(number)
    return Step(
        name=name,
        symbols="" if symbols == values else symbols,
        values="" if values == str(int(number)) else values,
        result=int(number),
    )


def summed(name: str, plus: Iterable[tuple[str, int]], minus: Iterable[tuple[str, int]] = ()) -> Step:
    """A sum of numbers that have names: `layer = attention + FFN = 1 + 2 = 3`; zeros are left out."""
    signed = [*(("+", label, int(n)) for label, n in plus), *(("−", label, int(n)) for label, n in minus)]
    kept = [each for each in signed if each[2]]
    result = sum(n if sign == "+" else -n for sign, _, n in kept)
    symbols = " ".join(f"{sign} {label}" for sign, label, _ in kept).removeprefix("+ ")
    values = " ".join(f"{sign} {n:,}" for sign, _, n in kept).removeprefix("+ ")
    return Step(name=name, symbols=symbols, values=values if len(kept) > 1 else "", result=result)


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Blocks whose parameters are derived alike, or all that are no layers; `tensors` are those of one layer."""

    blocks: tuple[Block, ...]
    tensors: tuple[tuple[str, Role, Tensor], ...]

    @property
    def indexes(self) -> tuple[int, ...]:
        return tuple(sorted(i for block in self.blocks for i in block.indexes))

    @property
    def count(self) -> int:
        return len(self.indexes) or 1

    @property
    def title(self) -> str:
        if not self.indexes:
            return "Outside the layers"
        kinds = (", ".join(filter(None, (block.kind("mixer"), block.kind("ffn")))) for block in self.blocks)
        return " / ".join(dict.fromkeys(kinds))

    @property
    def by_role(self) -> dict[Role, Num]:
        roles = dict.fromkeys(role for _, role, tensor in self.tensors if not tensor.tied)
        return {role: total(t.params for _, r, t in self.tensors if r is role) for role in roles}

    @property
    def by_category(self) -> dict[str, Num]:
        by_role = self.by_role
        parts = {name: [n for role, n in by_role.items() if role.category == name] for name in CATEGORIES}
        return {name: total(numbers) for name, numbers in parts.items() if numbers}


def gathered(blocks: Iterable[Block]) -> Iterator[Gathered]:
    """Layers with the same derivation together, and everything outside the layers together."""
    found: dict[object, list[tuple[Block, tuple[tuple[str, Role, Tensor], ...]]]] = {}
    for block in blocks:
        inside = "" if block.indexes else block.prefix
        tensors = tuple((_name(inside, part, t), block.role(t), t) for part in block.parts for t in part.weights)
        alike = (block.prefix, tuple((role, t.shape, t.copies, t.used, bool(t.tied)) for _, role, t in tensors))
        found.setdefault(alike if block.indexes else None, []).append((block, tensors))
    for key, group in found.items():
        kept = group[0][1] if key else tuple(each for _, tensors in group for each in tensors)
        yield Gathered(blocks=tuple(block for block, _ in group), tensors=kept)


def _name(prefix: str, part: Component, tensor: Tensor) -> str:
    return ".".join(filter(None, (prefix, part.name, tensor.name))).replace("{}", "*")


def _block_steps(each: Gathered) -> Iterator[Step]:
    per = " per layer" if each.indexes else ""
    by_role = each.by_role
    for name in each.by_category:
        roles = {role: n for role, n in by_role.items() if role.category == name}
        for role, part in roles.items():
            alone = len(roles) == 1
            yield from _role_steps(_role_name(role, alone=alone) + per, part, each, role)
        if len(roles) > 1:
            yield summed(_named(name) + per, ((_role_name(role), n) for role, n in roles.items()))
    for name, role, tensor in each.tensors:
        if tensor.tied:
            yield Step(
                name=name if role is not Role.HEAD else "head", symbols=f"tied to {tensor.tied}", values="", result=0
            )
    if each.indexes and len(each.by_category) > 1:
        yield summed("layer", ((_named(name), n) for name, n in each.by_category.items()))
    for role, whole in each.by_role.items():
        used = total(t.active for _, r, t in each.tensors if r is role)
        if used != whole:
            yield step(f"{_role_name(role)} that one token uses{per}", used)


def _role_steps(name: str, number: Num, each: Gathered, role: Role) -> Iterator[Step]:
    """One line where the number is a single product, else a line for each tensor and their sum."""
    own = [(label, tensor) for label, r, tensor in each.tensors if r is role and not tensor.tied]
    if len(own) > 1 and " + " in number.symbols:
        yield from (step(label, tensor.params) for label, tensor in own)
        yield Step(name=name, symbols="", values=" + ".join(f"{t.params:,}" for _, t in own), result=number)
    else:
        yield step(name, number)


def category_steps(gathered: tuple[Gathered, ...], counted: Params) -> Iterator[Step]:
    """Each category from its share of every kind of layer."""
    for name, whole in counted.by_category.items():
        parts = [(each.count, int(each.by_category[name])) for each in gathered if name in each.by_category]
        if not whole:
            continue
        values = " + ".join(f"{number:,}" if count == 1 else f"{count} × {number:,}" for count, number in parts)
        yield Step(name=_named(name), symbols="", values=values if values != f"{whole:,}" else "", result=int(whole))


def total_steps(model: Model, counted: Params) -> Iterator[Step]:
    """All parameters, those one token uses, and those that multiply it."""
    yield summed("total", ((_named(name), n) for name, n in counted.by_category.items()))
    idle = int(counted.total) - int(counted.active)
    yield summed("active", [("total", counted.total)], [("routed experts not chosen", idle)])
    less = dict.fromkeys((*IDLE.values(), "norms and biases", "image and sound towers"), 0)
    tied = 0
    for block, _, tensor in model.tensors():
        role = block.role(tensor)
        used = block.count * tensor.size * tensor.used
        if tensor.tied:
            tied += int(used) if multiplies(tensor, role) else 0
        elif not multiplies(tensor, role):
            less[_idle_name(role, tensor)] += int(used)
    yield summed("active_matmul", [("active", counted.active), ("the tied head", tied)], less.items())


def _idle_name(role: Role, tensor: Tensor) -> str:
    if role is Role.MULTIMODAL:
        return "image and sound towers"
    return IDLE.get(tensor.use, "norms and biases")


def width_steps(counted: Params) -> Iterator[Step]:
    """Each FFN width, its expansion, and its parameters against the classic FFN."""
    kinds = {"dense": "FFN", "routed_expert": "routed expert", "shared_expert": "shared experts"}
    for each in counted.expansion:
        kind, ratio = kinds[each.kind], f"{each.ratio:.6g}"
        yield step(f"width of the {kind}", each.hidden)
        yield Step(
            name=f"expansion of the {kind}",
            symbols=f"{_atom(formula.symbols(each.hidden))} / {_atom(formula.symbols(each.width))}",
            values=f"{int(each.hidden)} / {int(each.width)}",
            result=each.ratio,
        )
        yield Step(
            name="parameters against a two-matrix FFN of 4 × width",
            symbols="",
            values=f"{3 if each.gated else 2} × {ratio} / 8",
            result=each.equivalent,
        )
    if counted.slots:
        yield step("key–value slots", counted.slots)


def _atom(text: str) -> str:
    return f"({text})" if " " in text else text


def extra_steps(model: Model, counted: Params) -> Iterator[Step]:
    """What the checkpoint stores besides the parameters."""
    if counted.buffers:
        yield step("learned buffers", counted.buffers)
    if counted.mtp:
        layers = sum(block.count * int(tensor.params) for block, _, tensor in walk(model.mtp))
        buffers = int(counted.mtp) - layers
        yield summed("multi-token prediction", [("layers", layers), ("their buffers", buffers)])


def _named(category: str) -> str:
    return NAMES.get(category, category)


def _role_name(role: Role, *, alone: bool = False) -> str:
    return _named(role.category) if alone and role is not Role.ROUTED else ROLE_NAMES.get(role, _named(role.category))
