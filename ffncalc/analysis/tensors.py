"""Every tensor of a model by its checkpoint name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ffncalc.analysis.layers import consecutive
from ffncalc.ir import Block, Component, Model, Role, Tensor, walk


@dataclass(frozen=True, kw_only=True)
class Stored:
    """`count` tensors of one shape, whose names differ in the numbers in brackets: `model.layers.[0-31].….weight`.

    `tied` names the tensor whose storage these share; such tensors add no parameters.
    `extra`: "buffer" or "mtp" for what the checkpoint stores besides the parameters.
    """

    name: str
    shape: tuple[int, ...]
    role: Role
    count: int
    params: int
    tied: str = ""
    extra: str = ""

    def to_dict(self) -> dict[str, object]:
        """An entry of the `tensors` list of the JSON contract."""
        return {
            "name": self.name,
            "shape": [int(n) for n in self.shape],
            "role": self.role.value,
            "count": int(self.count),
            "params": int(self.params),
            "tied": self.tied or None,
        }


def tensors(model: Model) -> tuple[Stored, ...]:
    """The parameters of `model` in forward order, then what the checkpoint stores besides them."""
    return (
        *_gathered(walk(model.blocks)),
        *_gathered(walk(model.blocks, buffers=True), "buffer"),
        *_gathered(walk(model.mtp), "mtp"),
        *_gathered(walk(model.mtp, buffers=True), "mtp"),
    )


def _gathered(found: Iterable[tuple[Block, Component, Tensor]], extra: str = "") -> Iterator[Stored]:
    for block, part, tensor in found:
        count = block.count * tensor.count
        yield Stored(
            name=pattern(block, part, tensor),
            shape=tensor.stored_shape,
            role=block.role(tensor),
            count=count,
            params=block.count * tensor.params,
            tied=tensor.tied,
            extra=extra,
        )


def pattern(block: Block, part: Component, tensor: Tensor) -> str:
    """The full name with the layer numbers, and those of experts, in brackets where there are several."""
    name = block.named(part, tensor).replace("{layer}", _numbers(block.indexes))
    return name.replace("{}", f"[0-{int(tensor.count) - 1}]") if tensor.count > 1 else name


def _numbers(numbers: Iterable[int]) -> str:
    text = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in consecutive(numbers))
    return text if text.isdecimal() else f"[{text}]"
