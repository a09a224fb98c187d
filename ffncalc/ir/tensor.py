"""Tensors: what each is for, how often it is there, and how much of it one token meets."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from ffncalc.formula import product
from ffncalc.record import lazy, record


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


@record(frozen=True, kw_only=True)
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

    @lazy
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
