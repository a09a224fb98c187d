"""What a model is made of: tensors, components, blocks of equal layers.

A component states its tensors and its mixing; parameters, active parameters, FLOPs, caches and derivations
all follow from these, so nobody writes a total by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from operator import is_
from typing import ClassVar, Self

from ffncalc.formula import call, product
from ffncalc.origin import PARSED, Origin
from ffncalc.storage import NOWHERE, Storage


class Role(StrEnum):
    """What a tensor is for; the word before the dot is its category."""

    TOKEN = "embedding.token"
    POSITION = "embedding.position"
    TYPE = "embedding.type"
    PER_LAYER = "embedding.per_layer"
    HEAD = "head"
    ATTENTION = "attention"
    CROSS_ATTENTION = "attention.cross"
    INDEXER = "attention.indexer"
    MIXER = "mixer"
    DENSE = "ffn.dense"
    ROUTED = "ffn.routed_expert"
    SHARED = "ffn.shared_expert"
    ROUTER = "router"
    NORM = "norm"
    MULTIMODAL = "multimodal"
    OTHER = "other"

    category: str  # the row of the table that this role is added to

    def __init__(self, value: str) -> None:
        self.category = value.partition(".")[0]

    __hash__ = str.__hash__  # Enum's own runs in Python, and roles are keys in the counting loop


CATEGORIES = ("embedding", "head", "attention", "mixer", "ffn", "router", "norm", "multimodal", "other")


class Use(StrEnum):
    """What one token does with a tensor."""

    MATMUL = "matmul"  # it is multiplied by it: 2 FLOPs per element
    ELEMENTWISE = "elementwise"  # norms, biases, gains, convolution taps: 0 FLOPs by convention
    LOOKUP = "lookup"  # one row is read: 0 FLOPs
    SEQUENCE = "sequence"  # it is multiplied once for a whole text (poolers, sentence classifiers): 0 FLOPs per token


class Stream(StrEnum):
    """What runs through a block: the tokens of the answer, the source of an encoder–decoder, or image and sound."""

    TOKEN = "token"
    SOURCE = "source"
    MEDIA = "media"


@dataclass(kw_only=True, unsafe_hash=True)  # not frozen: made by the hundred, and that takes four times as long
class Tensor:
    """One learned tensor, or `copies` equal ones whose names differ where `{}` stands.

    `used` of the copies take part for one token (experts). `stacked` copies lie in one tensor along a first
    dimension, `joined` ones in one tensor whose first dimension is that many times as long. `tied` names the tensor
    whose storage this one shares: it adds no parameters, but still computes.
    """

    name: str = field(kw_only=False)
    shape: tuple[int, ...] = field(kw_only=False)
    role: Role = field(kw_only=False)
    use: Use = Use.MATMUL
    copies: int = 1
    used: int = 1
    stacked: bool = False
    transposed: bool = False  # stored as [in, out]
    joined: bool = False
    tied: str = ""
    source: bool = False  # multiplies the source tokens, not the decoded one (keys and values of cross attention)

    @cached_property
    def size(self) -> int:
        """Elements of one copy."""
        return self.shape[0] if len(self.shape) == 1 else product(self.shape)

    @property
    def stored(self) -> int:
        """Elements of all copies, tied or not."""
        return self.size if self.copies == 1 else self.size * self.copies

    @property
    def params(self) -> int:
        """Elements that this tensor adds to the model."""
        return 0 if self.tied else self.stored

    @property
    def met(self) -> int:
        """Elements that one token meets, tied or not."""
        return self.size if self.used == 1 else self.size * self.used

    @property
    def active(self) -> int:
        """Elements that one token meets, of those that this tensor adds."""
        return 0 if self.tied else self.met

    def moved(self, prefix: str, role: Role | None = None, *, copies: int = 1, used: int = 1) -> Tensor:
        """The same tensor under a module: `prefix.name`, in another role or in several copies."""
        return Tensor(
            f"{prefix}.{self.name}" if prefix else self.name,
            self.shape,
            role or self.role,
            use=self.use,
            copies=self.copies * copies,
            used=self.used * used,
            stacked=self.stacked,
            transposed=self.transposed,
            joined=self.joined,
            tied=self.tied,
            source=self.source,
        )

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape in the checkpoint."""
        if self.joined:
            return (self.copies * self.shape[0], *self.shape[1:])
        return (self.copies, *self.shape) if self.stacked else self.shape

    @property
    def count(self) -> int:
        """How many tensors of `stored_shape` there are."""
        return 1 if self.stacked or self.joined else self.copies


def _ramp(n: int, limit: int) -> int:
    """min(1, limit) + min(2, limit) + … + min(n, limit)."""
    inside = min(n, limit)
    return inside * (inside + 1) // 2 + (n - inside) * limit


@dataclass(frozen=True)
class Span:
    """Which keys a token attends: `full`, `sliding` or `chunked` by `size`, the best `size` (`top_k`), or `source`.

    `stride`: one key stands for that many tokens, once all of them are there (compressed attention).
    """

    kind: str = "full"
    size: int = 0
    stride: int = 1

    def keys(self, context: int) -> int:
        """Keys that the token at position `context` (from 1, itself included) attends."""
        if self.stride > 1:
            context = self.dense(context)
        if self.kind in ("sliding", "top_k"):
            return call("min", min(context, self.size), context, self.size)
        if self.kind == "chunked":
            return (context - 1) % self.size + 1
        return context

    def dense(self, context: int) -> int:
        """Keys that exist at position `context`: those a kernel works on that only masks what is not attended."""
        return context if self.stride == 1 else context // self.stride

    def total(self, context: int, *, causal: bool = True) -> int:
        """Keys attended by all positions 1 … `context` together, exactly; later ones too where not `causal`.

        A window of an encoder is centred: of its `size` keys, half lie on each side.
        """
        n, size = int(context), int(self.size)
        if self.stride > 1:  # the number of keys rises by one every `stride` positions
            keys, rest = divmod(n, int(self.stride))
            limit = size or keys
            return int(self.stride) * _ramp(max(keys - 1, 0), limit) + min(keys, limit) * (rest + 1)
        if not causal:
            side = (size - 1) // 2 if self.kind == "sliding" else n
            return n + 2 * _ramp(n - 1, side)
        if self.kind in ("sliding", "top_k"):
            return _ramp(n, size)
        if self.kind == "chunked":
            whole, rest = divmod(n, size)
            return whole * _ramp(size, size) + _ramp(rest, size)
        return _ramp(n, n)

    def __str__(self) -> str:
        text = f"{self.kind} {self.size:,}" if self.size else self.kind
        return text if self.stride == 1 else f"{text} of 1/{self.stride:,}"


FULL = Span("full")


@dataclass(frozen=True, kw_only=True)
class Mixing:
    """FLOPs of a token mixer that no weight accounts for.

    `per_key` FLOPs for each key of `span`, and `per_token` FLOPs whatever the context (recurrent state updates),
    which are counted under `role`.
    `absorbed` is `per_key` of the latent form of MLA (None: the same). `source` cites the recurrence.
    """

    per_key: int = 0
    span: Span = FULL
    per_token: int = 0
    role: Role = Role.MIXER
    absorbed: int | None = None
    indexer: bool = False
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Cache:
    """Elements kept for the next token: `per_token` for each key of `span`, and a `constant` state."""

    per_token: int = 0
    span: Span = FULL
    constant: int = 0


@dataclass(frozen=True, kw_only=True)
class Component:
    """A part of a layer. `name` is its module name in the checkpoint ("" when its tensors sit in the layer itself)."""

    name: str = field(kw_only=False)
    slot: ClassVar[str] = ""  # "mixer" and "ffn" name the two columns of a layer table; others have none

    def tensors(self) -> tuple[Tensor, ...]:
        """The learned tensors, named relative to `name`."""
        raise NotImplementedError

    @cached_property
    def weights(self) -> tuple[Tensor, ...]:
        """`tensors()`, worked out once: the same part stands in many blocks, and every analysis asks."""
        return self.tensors()

    @cached_property
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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
