"""Bytes: of the weights, of what generation keeps, and of what one decoded step reads."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ffncalc.analysis.contexts import at_least_one, contexts_of
from ffncalc.analysis.flops import Number, exact
from ffncalc.analysis.formats import BITS, octets
from ffncalc.analysis.formats import dtype as dtype_named
from ffncalc.analysis.kv_cache import KvCache, kv_cache
from ffncalc.analysis.params import times
from ffncalc.analysis.quantization import scheme_of
from ffncalc.analysis.scheme import Scheme
from ffncalc.analysis.weights import Weight, decodes, looked_up, row, tied_size, weights
from ffncalc.errors import ConfigError, UsageError
from ffncalc.formula import total
from ffncalc.ir import CATEGORIES, Model, Role

EXACTLY = 4096  # the largest batch whose expected number of experts is a fraction: its digits grow with the batch
ASSUMED = "bfloat16"  # what a config that names no dtype most often means


@dataclass(frozen=True, kw_only=True)
class CachePoint:
    """The cache of a batch at one context: what the model needs, and with the whole context in every layer."""

    ctx: int
    bytes: int
    full_length: int

    def to_dict(self) -> dict[str, object]:
        """A point of the JSON contract."""
        return {"ctx": self.ctx, "bytes": int(self.bytes), "full_length_bytes": int(self.full_length)}


@dataclass(frozen=True, kw_only=True)
class ReadPoint:
    """Bytes that one step reads at one context, for the whole batch."""

    ctx: int
    by_category: dict[str, Number]

    @property
    def total(self) -> Number:
        """All of them."""
        return sum(self.by_category.values())

    def to_dict(self) -> dict[str, object]:
        """A point of the JSON contract."""
        categories = {name: exact(n) for name, n in self.by_category.items()}
        return {"ctx": self.ctx, "total": exact(self.total), "by_category": categories}


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Bytes of a model; those with a derivation are `Num`.

    `dtype_from` is the key of the file, "given", or "assumed". `experts_read` are the distinct experts that a MoE layer
    reads for the batch, the mean over its layers: the expectation under uniform routing (None: no experts).
    """

    dtype: str
    dtype_from: str
    scheme: Scheme | None
    weights: tuple[Weight, ...]
    by_category: dict[str, int]
    buffers: int
    mtp: int
    kv_dtype: str
    batch: int
    encoder_ctx: int | None
    cache: KvCache
    kv: tuple[CachePoint, ...]
    read: tuple[ReadPoint, ...] | None
    experts_read: Fraction | None
    notes: tuple[str, ...]

    @property
    def total(self) -> int:
        """Bytes of all weights."""
        return total(self.by_category.values())

    def kv_bytes(self, elements: Number) -> int | float:
        """Bytes of cache elements of one sequence."""
        return exact(Fraction(elements) * BITS[self.kv_dtype] / 8)

    def to_dict(self) -> dict[str, object]:
        """The `memory` object of the JSON contract."""
        formats = dict.fromkeys(w.format.label for w in self.weights if w.format)
        return {
            "dtype": self.dtype,
            "dtype_from": self.dtype_from,
            "quantization": {"method": self.scheme.method, "formats": list(formats)} if self.scheme else None,
            "weight_bytes": int(self.total),
            "weight_bytes_by_category": {name: int(n) for name, n in self.by_category.items()},
            "checkpoint_extra_bytes": {"buffers": int(self.buffers), "mtp": int(self.mtp)},
            "kv_dtype": self.kv_dtype,
            "batch": self.batch,
            "encoder_ctx": self.encoder_ctx,
            "kv_bytes_per_token": self.kv_bytes(self.cache.per_token),
            "kv_bytes_per_token_windows_full": self.kv_bytes(self.cache.per_token_at_last),
            "kv_constant_bytes": self.kv_bytes(int(self.cache.constant)),
            "kv_bytes": [point.to_dict() for point in self.kv],
            "decode_read_bytes": None if self.read is None else [point.to_dict() for point in self.read],
            "experts_read_per_layer": None if self.experts_read is None else exact(self.experts_read),
        }


def memory(
    model: Model,
    *,
    ctx: int | Sequence[int] | None = None,
    batch: int = 1,
    dtype: str | None = None,
    kv_dtype: str | None = None,
    encoder_ctx: int | None = None,
) -> Memory:
    """Bytes of `model` at each context of `ctx`, for `batch` sequences of that length.

    Weights have the config's dtype and quantisation; `dtype` counts them all plainly in another format instead.
    `kv_dtype` is the format of the cache, by default what the config asks for, else the dtype of the model.
    `encoder_ctx` is the source length of an encoder–decoder (default: as long as the context).

    Raises:
        UsageError: a dtype that is not known, a context or a batch below 1.
        ConfigError: a dtype or quantisation in the config that is not known.
    """
    contexts = contexts_of(model, ctx)
    at_least_one(batch, "batch")
    at_least_one(encoder_ctx)
    own, dtype_from = _dtype(model, dtype)
    bits = BITS[own]
    scheme = None if dtype else scheme_of(model.storage, bits)
    kv = dtype_named(kv_dtype) if kv_dtype else (scheme.cache if scheme else "") or (ASSUMED if bits < 16 else own)
    stored = tuple(weights(model.blocks, bits, scheme))
    cache = kv_cache(model)
    lengths = [(n, encoder_ctx or n) for n in contexts]
    read = tuple(_read(n, m, stored, cache, BITS[kv], batch) for n, m in lengths) if decodes(model) else None
    return Memory(
        dtype=own,
        dtype_from=dtype_from,
        scheme=scheme,
        weights=stored,
        by_category=_by_category(stored),
        buffers=total(_copies(w) for w in weights(model.blocks, bits, scheme, buffers=True)),
        mtp=total(_copies(w) for buffers in (False, True) for w in weights(model.mtp, bits, scheme, buffers=buffers)),
        kv_dtype=kv,
        batch=batch,
        encoder_ctx=encoder_ctx,
        cache=cache,
        kv=tuple(_kept(n, m, cache, BITS[kv], batch) for n, m in lengths),
        read=read,
        experts_read=_experts_read(stored, batch),
        notes=scheme.notes if scheme else (),
    )


def _dtype(model: Model, given: str | None) -> tuple[str, str]:
    if given:
        return dtype_named(given), "given"
    storage = model.storage
    if not storage.dtype or storage.dtype == "auto":
        return ASSUMED, "assumed"
    try:
        return dtype_named(storage.dtype), storage.dtype_key
    except UsageError as error:
        raise ConfigError(f"{storage.dtype_key}: {error.message}", error.hint) from None


def _by_category(stored: Sequence[Weight]) -> dict[str, int]:
    parts: dict[str, list[int]] = {name: [] for name in CATEGORIES}
    for weight in stored:
        parts[weight.role.category].append(times(weight.layers, weight.stored))
    return {name: total(numbers) for name, numbers in parts.items()}


def _copies(weight: Weight) -> int:
    """Bytes in the checkpoint, which stores the tables that a multi-token-prediction layer shares once more."""
    return times(weight.layers, weight.one(weight.tensor.copies))


def _kept(n: int, source: int, cache: KvCache, bits: int, batch: int) -> CachePoint:
    needed, full = (octets(elements, bits) for elements in (cache.needed(n, source), cache.allocated(n, source)))
    return CachePoint(ctx=n, bytes=times(batch, needed), full_length=times(batch, full))


def _read(n: int, source: int, stored: Sequence[Weight], cache: KvCache, bits: int, batch: int) -> ReadPoint:
    """Weights once for the batch, the chosen experts of all its tokens, the cache of each sequence."""
    parts: dict[str, list[Number]] = defaultdict(list)
    for name in CATEGORIES:
        parts[name] = []
    for weight in stored:
        if weight.decoded:
            runs = weight.layers * weight.block.calls
            parts[weight.role.category].append(runs * _read_of(weight, stored, batch))
    parts["kv_cache"] = [times(batch, octets(cache.read(n, source), bits))]
    return ReadPoint(ctx=n, by_category={name: sum(numbers) for name, numbers in parts.items()})


def _read_of(weight: Weight, stored: Sequence[Weight], batch: int) -> Number:
    tensor = weight.tensor
    size = tied_size(weight, stored) if tensor.tied else weight.size
    if looked_up(weight):
        return batch * row(weight)
    if weight.role is Role.ROUTED:
        return size * distinct(tensor.copies, tensor.used, batch)
    return size * int(tensor.used)


def distinct(experts: int, top_k: int, batch: int) -> Number:
    """Expected number of different experts that `batch` tokens choose, each `top_k` of `experts`, all equally likely.

    experts × (1 − (1 − top_k / experts)^batch); top_k for one token. Large batches are worked out in floating point.
    """
    if batch == 1 or top_k >= experts:
        return int(top_k)
    if batch > EXACTLY:
        return Fraction(-int(experts) * math.expm1(batch * math.log1p(-int(top_k) / int(experts))))
    return int(experts) * (1 - (1 - Fraction(int(top_k), int(experts))) ** batch)


def _experts_read(stored: Sequence[Weight], batch: int) -> Fraction | None:
    """The mean of `distinct` over the MoE layers."""
    layers: dict[int, tuple[int, Number]] = {}
    for weight in stored:
        if weight.role is Role.ROUTED and weight.decoded and weight.tensor.copies > 1:
            tensor = weight.tensor
            layers[id(weight.block)] = (weight.block.count, distinct(tensor.copies, tensor.used, batch))
    count = sum(n for n, _ in layers.values())
    return sum((n * Fraction(number) for n, number in layers.values()), Fraction(0)) / count if count else None
