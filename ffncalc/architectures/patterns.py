"""Which layer is what: each spelling of a config, expanded into one entry per layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Span

T = TypeVar("T")


def after(count: int, first: int, then: T, before: T) -> list[T]:
    """`before` in layers 0 … first-1, `then` from layer `first` on."""
    return [then if i >= first else before for i in range(count)]


def every(count: int, step: int, hit: T, miss: T, *, offset: int = 0) -> list[T]:
    """`hit` where (i + offset) is a multiple of `step`."""
    return [hit if (i + offset) % step == 0 else miss for i in range(count)]


def repeated(name: str, letters: str, count: int, kinds: Mapping[str, T]) -> list[T]:
    """The kinds of the letters of the field `name`, over and over ("LLLG").

    Raises:
        ConfigError: for an unknown letter, or none.
    """
    if not letters or set(letters) - set(kinds):
        raise ConfigError(f"{name}: expected a sequence of the letters {', '.join(kinds)}, got {shown(letters)}")
    return [kinds[letters[i % len(letters)]] for i in range(count)]


def per_layer(name: str, entries: Sequence[T], count: int, *, extra: int = 0) -> Sequence[T]:
    """`entries` of the field `name`, which must hold one per layer; `extra` more (for MTP layers) are cut off.

    Raises:
        ConfigError: naming both lengths.
    """
    if len(entries) not in (count, count + extra):
        raise ConfigError(f"{name}: has {len(entries)} entries, but num_hidden_layers is {count}")
    return entries[:count]


def spans(kinds: Sequence[str], *, window: int | None = None, chunk: int | None = None) -> list[Span]:
    """The span of each layer from its `layer_types` entry; a window that is null is no window.

    Raises:
        ConfigError: for an unknown entry.
    """
    known = {
        "full_attention": FULL,
        "attention": FULL,
        "sliding_attention": Span("sliding", window) if window else FULL,
        "chunked_attention": Span("chunked", chunk) if chunk else FULL,
    }
    try:
        return [known[kind] for kind in kinds]
    except KeyError as error:
        raise ConfigError(
            f"layer_types: unknown entry {shown(error.args[0])}, expected one of {', '.join(known)}"
        ) from None


def sharing(name: str, shared: int, kinds: Sequence[T]) -> list[bool]:
    """Whether each layer takes its keys and values from an earlier layer of its kind: the last `shared` layers do.

    Raises:
        ConfigError: the field `name` leaves no layer of some kind to take them from.
    """
    first = len(kinds) - shared
    if first < 0 or (first and set(kinds[first:]) - set(kinds[:first])):
        raise ConfigError(f"{name}: {shared} of {len(kinds)} layers leave none of some kind to share from")
    return [i >= first for i in range(len(kinds))]
