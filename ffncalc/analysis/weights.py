"""The weights of a model as they are stored: their bytes, by the format that each has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ffncalc.analysis.formats import Format, octets
from ffncalc.analysis.scheme import Scheme
from ffncalc.ir import Block, Component, Model, Role, Stream, Tensor, Use, walk

BUFFER_BITS = 32  # the balance bias of a router, kept in float32


@dataclass(frozen=True, kw_only=True)
class Weight:
    """A tensor of `layers` layers that is stored alike in all of them; `size` are the bytes of one of its copies."""

    name: str
    block: Block
    tensor: Tensor
    role: Role
    layers: int
    size: int
    format: Format | None  # None: plainly, in the model's dtype

    @property
    def stored(self) -> int:
        """Bytes in one layer, 0 where another tensor's storage is shared."""
        return 0 if self.tensor.tied else self.one(self.tensor.copies)

    def one(self, copies: int) -> int:
        """Bytes of so many copies in one layer."""
        return self.size if copies == 1 else copies * self.size

    @property
    def decoded(self) -> bool:
        """Whether a decoded token needs it: not the encoder's, nor those of image and sound towers."""
        return self.block.stream is Stream.TOKEN and not self.tensor.source


def weights(blocks: Iterable[Block], bits: int, scheme: Scheme | None, *, buffers: bool = False) -> Iterator[Weight]:
    """Every tensor (or buffer) of some blocks, once for each format it has."""
    for block, part, tensor in walk(blocks, buffers=buffers):
        own = BUFFER_BITS if buffers else bits
        for form, layers in _formats(block, part, tensor, None if buffers else scheme):
            yield Weight(
                name=block.named(part, tensor),
                block=block,
                tensor=tensor,
                role=block.role(tensor),
                layers=layers,
                size=octets(tensor.size, own) if form is None else form.size(*tensor.shape),
                format=form,
            )


def _formats(
    block: Block, part: Component, tensor: Tensor, scheme: Scheme | None
) -> Iterable[tuple[Format | None, int]]:
    """The formats of a tensor with the number of layers that have each."""
    if scheme is None or not scheme.covers(block, tensor):
        return [(None, block.count)]
    pattern = block.named(part, tensor).removesuffix(".weight").replace("{}", "0")
    indexes = block.indexes or (0,)
    if not scheme.by_layer:
        return [(scheme.format_of(pattern.replace("{layer}", str(indexes[0])), tensor.role), block.count)]
    found: dict[Format | None, int] = {}
    for index in indexes:
        form = scheme.format_of(pattern.replace("{layer}", str(index)), tensor.role)
        found[form] = found.get(form, 0) + 1
    return found.items()


def tied_size(weight: Weight, all_: Iterable[Weight]) -> int:
    """Bytes of one copy of a tied tensor: those of the tensor whose storage it shares."""
    return next((w.size for w in all_ if w.name == weight.tensor.tied), weight.size)


def row(weight: Weight) -> int:
    """Bytes of one row of a table, or of a single number; a packed row takes its share of the scales."""
    rows = weight.tensor.shape[0] if weight.tensor.shape else 1
    return weight.size // rows


def looked_up(weight: Weight) -> bool:
    """Whether one row is read, not the whole tensor."""
    return weight.tensor.use is Use.LOOKUP


def decodes(model: Model) -> bool:
    """Whether the model generates: some layer attends earlier tokens only, or is recurrent."""
    return any(b.indexes and b.causal and b.stream is Stream.TOKEN for b in model.blocks)
