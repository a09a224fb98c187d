"""What Zamba and Zamba2 share: transformer blocks whose weights several layers use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ffncalc.components.linear import linear
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Repeated(Component):
    """A part of an earlier layer run again: its tensors share the storage of those under `owner`.

    Caches are its own. Weights that an earlier layer counts for all of its repetitions (adapters) do not run here.
    """

    owner: str
    part: Component

    def tensors(self) -> tuple[Tensor, ...]:
        used = 0 if isinstance(self.part, Adapters) else 1
        return tuple(
            replace(tensor, tied=".".join(filter(None, (self.owner, self.name, tensor.name))), used=used)
            for tensor in self.part.tensors()
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return self.part.mixing()

    def cache(self) -> tuple[Cache, ...]:
        return self.part.cache()

    def describe(self) -> str:
        return self.part.describe()


class RepeatedMixer(Repeated):
    """A repeated token mixer."""

    slot = "mixer"


class RepeatedFFN(Repeated):
    """A repeated feed-forward network."""

    slot = "ffn"


REPEATED: dict[str, Callable[..., Repeated]] = {"mixer": RepeatedMixer, "ffn": RepeatedFFN, "": Repeated}


@record(frozen=True, kw_only=True)
class Adapters(Component):
    """Low-rank additions to a shared projection, one pair for each layer that uses it (arXiv:2411.15242).

    For each of `indexes`: [rank, width] and [out, rank]. One token runs each once, in the layer it belongs to; all
    are counted in the layer that stores them.
    """

    width: int
    out: int
    rank: int
    lists: tuple[str, ...]
    indexes: tuple[int, ...]
    role: Role

    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(
            tensor
            for name in self.lists
            for i in self.indexes
            for tensor in (
                *linear(f"{name}.{i}.0", self.width, self.rank, self.role),
                *linear(f"{name}.{i}.1", self.rank, self.out, self.role),
            )
        )


def repeated(parts: Sequence[Component], owner: str) -> tuple[Component, ...]:
    """The same parts in a later layer; `owner` is the prefix of the layer that stores them."""
    return tuple(REPEATED[part.slot](part.name, owner=owner, part=part) for part in parts)
