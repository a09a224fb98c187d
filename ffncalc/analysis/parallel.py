"""Which numbers of devices a model splits over: tensors (tp), experts (ep) and layers (pp).

Tensor parallelism gives each rank whole heads and equal slices of every FFN width (arXiv:1909.08053); key/value heads
are copied where there are fewer of them than ranks. A slice of a quantised width must hold whole groups or blocks of
the quantisation. Expert parallelism deals out whole experts, pipeline parallelism whole layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd

from ffncalc.analysis.blocks import block_in
from ffncalc.analysis.params import networks
from ffncalc.analysis.quantization_fields import refuse
from ffncalc.components.attention import Attention
from ffncalc.components.latent_attention import LatentAttention
from ffncalc.components.moe import MoE
from ffncalc.formula import labels
from ffncalc.ir import Model, Role, Stream

MOST = 1024  # the largest tp that is tried


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A number that is split: `kind` is heads, kv_heads, dense, routed_expert, shared_expert, vocabulary or experts.

    `fields` are the config keys it comes from. `latent` heads share one key/value cache, whatever their number.
    """

    kind: str
    value: int
    fields: tuple[str, ...]
    latent: bool = False

    @property
    def field(self) -> str:
        """The key that the number is read from; "" where it is none in the file."""
        return self.fields[-1] if self.fields else ""


@dataclass(frozen=True, kw_only=True)
class Split:
    """A model over `tp` ranks: what each holds. `kv_copies`: ranks that keep the same key/value head.

    The one latent that all heads of latent attention share counts as one key/value head, whole on every rank.
    """

    tp: int
    heads: tuple[int, ...]
    kv_heads: tuple[int, ...]
    kv_copies: int
    widths: tuple[int, ...]
    expert_widths: tuple[int, ...]
    vocabulary_rest: int
    broken: tuple[str, ...]
    quantised: bool | None

    @property
    def works(self) -> bool:
        """Whether every number splits evenly."""
        return not self.broken

    def to_dict(self) -> dict[str, object]:
        """An element of `splits` of the JSON contract."""
        return {
            "tp": self.tp,
            "works": self.works,
            "heads": list(self.heads),
            "kv_heads": list(self.kv_heads),
            "kv_copies": self.kv_copies,
            "widths": list(self.widths),
            "expert_widths": list(self.expert_widths),
            "vocabulary_rest": self.vocabulary_rest,
            "quantised": self.quantised,
            "broken": list(self.broken),
        }


@dataclass(frozen=True, kw_only=True)
class Parallel:
    """All splits of a model that can be asked for; `block` is the group or block of its quantisation."""

    splits: tuple[Split, ...]
    ep: tuple[int, ...]
    pp: tuple[int, ...]
    experts: int | None
    layers: int
    block: int | None

    def to_dict(self) -> dict[str, object]:
        """The `parallel` object of the JSON contract."""
        return {
            "tp": [split.tp for split in self.splits if split.works],
            "ep": list(self.ep),
            "pp": list(self.pp),
            "experts": self.experts,
            "layers": self.layers,
            "quantisation_block": self.block,
            "splits": [split.to_dict() for split in self.splits],
        }


def axes(model: Model) -> tuple[Axis, ...]:
    """Every number of a model that tensor or expert parallelism splits, each once."""
    return tuple(dict.fromkeys(_axes(model)))


def _axes(model: Model) -> Iterator[Axis]:
    for block in model.blocks:
        if block.stream is Stream.MEDIA:
            continue
        for part in block.parts:
            if isinstance(part, LatentAttention):
                yield _axis("heads", part.heads, latent=True)
            elif isinstance(part, Attention):
                yield _axis("heads", part.heads)
                yield _axis("kv_heads", part.kv_heads)
            elif isinstance(part, MoE):
                yield _axis("experts", part.experts)
            for tensor in part.weights if not block.indexes else ():
                if tensor.role in (Role.TOKEN, Role.HEAD) and len(tensor.shape) == 2:
                    yield _axis("vocabulary", tensor.shape[0])
    for _, kind, ffn, _ in networks(model):
        yield _axis(kind, ffn.hidden)


def _axis(kind: str, value: int, *, latent: bool = False) -> Axis:
    return Axis(kind=kind, value=int(value), fields=tuple(labels(value)), latent=latent)


def divisors(numbers: Iterable[int], most: int = MOST) -> tuple[int, ...]:
    """What divides all of some numbers, ascending, up to `most`; () for no numbers.

    >>> divisors([40, 64])
    (1, 2, 4, 8)
    """
    common = gcd(*numbers)
    return tuple(n for n in range(1, min(common, most) + 1) if common % n == 0)


def kv_split(kv_heads: int, tp: int) -> int | None:
    """How many ranks keep the same key/value head; None where the heads neither divide nor can be copied evenly."""
    if kv_heads % tp == 0:
        return 1
    return tp // kv_heads if tp % kv_heads == 0 else None


def whole_blocks(width: int, tp: int, block: int | None) -> bool:
    """Whether each of `tp` slices of a width holds whole blocks of a quantisation; what is not cut always does."""
    return block is None or tp == 1 or (width % tp == 0 and width // tp % block == 0)


def block_of(model: Model) -> int | None:
    """The group or block of the weights as the config quantises them; None where it does not, or has no blocks.

    Raises:
        ConfigError: an impossible value in the quantisation.
    """
    refuse(model.storage)
    found = block_in(model.storage.quantization)
    return found[0] if found else None


def parallel(model: Model, *, block: int | None = None) -> Parallel:
    """The splits of a model over devices: tensors (tp), experts (ep) and layers (pp).

    `block` is the group or block that FFN weights are quantised in, that of the config unless given. tp is tried for
    every divisor of the attention heads, or of the FFN widths where the model has none.
    """
    found = axes(model)
    block = block or block_of(model)
    heads = [a.value for a in found if a.kind == "heads"]
    experts = [a.value for a in found if a.kind == "experts"]
    tried = divisors(heads or [a.value for a in found if a.kind == "dense"] or [1])
    count = model.layer_count
    return Parallel(
        splits=tuple(_split(found, tp, block) for tp in tried),
        ep=divisors(experts) if experts else (),
        pp=divisors([count]),
        experts=max(experts, default=None),
        layers=int(count),
        block=block,
    )


def _split(found: tuple[Axis, ...], tp: int, block: int | None) -> Split:
    heads, kv, dense, routed, shared, vocabulary = (
        [a for a in found if a.kind == kind]
        for kind in ("heads", "kv_heads", "dense", "routed_expert", "shared_expert", "vocabulary")
    )
    widths = [*dense, *routed, *shared]
    copies = [kv_split(a.value, tp) for a in kv] + [tp for a in heads if a.latent]
    broken = [f"{a.field or a.kind} {a.value:,}" for a in (*heads, *widths) if a.value % tp]
    broken += [f"{a.field or a.kind} {a.value:,}" for a in kv if kv_split(a.value, tp) is None]
    if block is not None:
        broken += [
            f"{a.field or a.kind} {a.value:,} / {tp} in blocks of {block}"
            for a in widths
            if a.value % tp == 0 and not whole_blocks(a.value, tp, block)
        ]
    return Split(
        tp=tp,
        heads=tuple(a.value // tp for a in heads),
        kv_heads=(*(max(1, a.value // tp) for a in kv), *(1 for a in heads if a.latent)),
        kv_copies=max((c for c in copies if c), default=1),
        widths=tuple(a.value // tp for a in (*dense, *shared)),
        expert_widths=tuple(a.value // tp for a in routed),
        vocabulary_rest=max((a.value % tp for a in vocabulary), default=0),
        broken=tuple(dict.fromkeys(broken)),
        quantised=None if block is None else all(whole_blocks(a.value, tp, block) for a in widths),
    )
