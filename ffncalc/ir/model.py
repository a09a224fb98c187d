"""Components, blocks of equal layers, and the model they make up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields, replace
from operator import is_
from typing import ClassVar, Self

from ffncalc.ir.mixing import Cache, Mixing
from ffncalc.ir.tensor import Role, Stream, Tensor
from ffncalc.origin import PARSED, Origin
from ffncalc.record import lazy, record
from ffncalc.storage import NOWHERE, Storage


@record(frozen=True, kw_only=True)
class Component:
    """A part of a layer. `name` is its module name in the checkpoint ("" when its tensors sit in the layer itself)."""

    name: str = field(kw_only=False)
    slot: ClassVar[str] = ""  # "mixer" and "ffn" name the two columns of a layer table; others have none

    def tensors(self) -> tuple[Tensor, ...]:
        """The learned tensors, named relative to `name`."""
        raise NotImplementedError

    @lazy
    def weights(self) -> tuple[Tensor, ...]:
        """`tensors()`, worked out once: the same part stands in many blocks, and every analysis asks."""
        return self.tensors()

    @lazy
    def mixings(self) -> tuple[Mixing, ...]:
        """`mixing()`, worked out once."""
        return self.mixing()

    def buffers(self) -> tuple[Tensor, ...]:
        """What the checkpoint stores besides: learned, but no parameter in the library's sense."""
        return ()

    def mixing(self) -> tuple[Mixing, ...]:
        """FLOPs that depend on the context, or on a recurrence."""
        return ()

    def cache(self) -> tuple[Cache, ...]:
        """What generation keeps per layer."""
        return ()

    def describe(self) -> str:
        """A few words for the layer table: `full attention`, `moe`."""
        return ""

    def retied(self, prefixes: Mapping[str, str]) -> Self:
        """The same part after a renaming of prefixes: its ties (fields called `tied…`) name other tensors."""
        ties = {f.name: getattr(self, f.name) for f in fields(self) if f.name.startswith("tied")}
        new = {name: renamed(tied, prefixes) for name, tied in ties.items() if tied}
        return replace(self, **new) if new else self


@record(frozen=True, kw_only=True)
class Block:
    """Equal layers, or the parts outside the layers (`indexes` empty), under one name prefix.

    `prefix` holds `{}` where the layer number stands. `calls` is how often each of them runs for one token.
    """

    prefix: str = field(kw_only=False)
    parts: tuple[Component, ...] = field(kw_only=False)
    indexes: tuple[int, ...] = ()
    calls: int = 1
    stream: Stream = Stream.TOKEN
    causal: bool = True  # False in encoders: each token sees later ones too

    @property
    def count(self) -> int:
        """How many such layers have their own weights."""
        return len(self.indexes) or 1

    def named(self, part: Component, tensor: Tensor) -> str:
        """The full name of a tensor of one of `parts`; `{layer}` stands for the layer number."""
        return ".".join(filter(None, (self.prefix.replace("{}", "{layer}", 1), part.name, tensor.name)))

    def role(self, tensor: Tensor) -> Role:
        """The role of a tensor here: whatever stands in a tower is multimodal."""
        return Role.MULTIMODAL if self.stream is Stream.MEDIA else tensor.role

    def moved(self, prefixes: Mapping[str, str], *, stream: Stream | None = None) -> Block:
        """The same block with the start of all its names replaced (see `renamed`), on another stream if given."""
        prefix = renamed(f"{self.prefix}." if self.prefix else "", prefixes).removesuffix(".")
        parts = tuple(part.retied(prefixes) for part in self.parts)
        return replace(self, prefix=prefix, parts=parts, stream=stream or self.stream)

    def kind(self, slot: str) -> str:
        """The words of the parts in one slot ("mixer" or "ffn"); "" when there is none."""
        return " + ".join(dict.fromkeys(p.describe() for p in self.parts if p.slot == slot))


@record(frozen=True, kw_only=True)
class Model:
    """A model as its checkpoint stores it: blocks in forward order, multi-token-prediction blocks apart."""

    model_type: str
    architecture: str
    width: int
    blocks: tuple[Block, ...]
    mtp: tuple[Block, ...] = ()
    max_context: int | None = None
    notes: tuple[str, ...] = ()
    defaults: tuple[tuple[str, object], ...] = ()  # (key, value) taken from the class, for want of one in the file
    storage: Storage = NOWHERE
    origin: Origin = PARSED
    name: str = ""

    @property
    def layers(self) -> tuple[Block, ...]:
        """The blocks that are layers of the language model (or of its only stack)."""
        return tuple(b for b in self.blocks if b.indexes and b.stream is not Stream.MEDIA)

    @property
    def layer_count(self) -> int:
        """How many layers one token runs through, encoder and decoder added."""
        return sum(block.count * block.calls for block in self.layers)

    def tensors(self) -> Iterator[tuple[Block, Component, Tensor]]:
        """Every tensor with the block and the part it stands in; equal layers appear once."""
        return walk(self.blocks)


def renamed(name: str, prefixes: Mapping[str, str]) -> str:
    """`name` with its start replaced: of the keys it starts with the longest counts, "" is the start of every name."""
    start = max((key for key in prefixes if name.startswith(key)), key=len, default=None)
    return name if start is None else prefixes[start] + name[len(start) :]


def walk(blocks: Iterable[Block], *, buffers: bool = False) -> Iterator[tuple[Block, Component, Tensor]]:
    """Every tensor (or buffer) of some blocks with the block and the part it stands in."""
    for block in blocks:
        for part in block.parts:
            for tensor in part.buffers() if buffers else part.weights:
                yield block, part, tensor


def layers(
    prefix: str,
    count: int,
    parts: Callable[[int], tuple[Component, ...]],
    *,
    calls: int = 1,
    stream: Stream = Stream.TOKEN,
    causal: bool = True,
) -> tuple[Block, ...]:
    """Blocks for layers 0 … count-1, equal layers gathered, in the order of their first layer.

    `parts(i)` should hand out the same tuple, or at least the same objects, for equal layers: identity is checked
    first, and is fast.
    """
    seen: dict[tuple[int, ...], list[int]] = {}
    groups: list[tuple[tuple[Component, ...], list[int]]] = []
    last: tuple[Component, ...] = ()
    indexes: list[int] | None = None
    for i in range(count):
        built = parts(i)
        if indexes is None or len(built) != len(last) or not all(map(is_, built, last)):
            last = built
            indexes = seen.get(key := tuple(map(id, built)))
            if indexes is None:
                indexes = next((group[1] for group in groups if group[0] == built), None)
                if indexes is None:
                    groups.append((built, indexes := []))
                else:
                    groups.append((built, []))  # keeps `built` alive, so that its ids stay unique
                seen[key] = indexes
        indexes.append(i)
    return tuple(
        Block(prefix, built, indexes=tuple(indexes), calls=calls, stream=stream, causal=causal)
        for built, indexes in groups
        if indexes
    )
