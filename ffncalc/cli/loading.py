"""From references to entries: read, describe, analyse; what fails becomes an entry with its error."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ffncalc import api, source
from ffncalc.cli.output import debugging
from ffncalc.errors import FfncalcError, InternalError, UsageError
from ffncalc.ir import Model
from ffncalc.report import Entry
from ffncalc.source import reference
from ffncalc.source.reference import located, public

T = TypeVar("T")
Analyse = Callable[[Mapping[str, Any], Model], T]

DEFAULT = "meta-llama/Llama-3.1-8B"


@dataclass(frozen=True, kw_only=True)
class Loading:
    """How references are read, and what is changed in them."""

    revision: str | None = None
    refresh: bool = False
    offline: bool = False
    sets: tuple[str, ...] = ()


def collect(refs: Sequence[str] | None, loading: Loading, analyse: Callable[[Model], T]) -> list[Entry[T]]:
    """One entry per reference, in order; without references, one for the model that stands in."""
    return list(_entries(refs, loading, lambda _, model: analyse(model)))


def collect_raw(refs: Sequence[str] | None, loading: Loading, analyse: Analyse[T]) -> list[Entry[T]]:
    """The same for an analysis that also needs the parsed config, with the changes of --set in it."""
    return list(_entries(refs, loading, analyse))


def _entries(refs: Sequence[str] | None, loading: Loading, analyse: Analyse[T]) -> Iterator[Entry[T]]:
    fallback = ""
    if not refs:
        chosen = os.environ.get("FFNCALC_MODEL", "")
        fallback = "the model of FFNCALC_MODEL" if chosen else "the default model, since none was named"
        refs = [chosen or DEFAULT]
    streams: set[int] = set()
    for ref in refs:
        try:
            _once(ref, streams)
            yield _entry(ref, loading, analyse, fallback)
        except FfncalcError as error:
            yield Entry(ref=public(ref), error=located(error, ref))
        except Exception as error:
            if debugging():
                raise
            yield Entry(ref=public(ref), error=InternalError(public(ref), error))


def _once(ref: str, streams: set[int]) -> None:
    """Refuse a stream that was read before.

    Raises:
        UsageError: it was.
    """
    number = reference.descriptor(ref)
    if number in streams:
        raise UsageError("it was read before, and can be read only once")
    if number is not None:
        streams.add(number)


def _entry(ref: str, loading: Loading, analyse: Analyse[T], fallback: str) -> Entry[T]:
    loaded = source.load(ref, revision=loading.revision, refresh=loading.refresh, offline=loading.offline)
    if not loading.sets:
        model = api.describe(loaded)
        return Entry(ref=public(ref), model=model, result=analyse(loaded.raw, model), fallback=fallback)
    from ffncalc import what_if

    raw, _ = what_if.apply(loaded.raw, loading.sets)
    changed = api.describe(replace(loaded, raw=raw))
    changed = replace(changed, notes=(*changed.notes, *what_if.idle(loaded.raw, loading.sets, changed)))
    return Entry(
        ref=public(ref),
        model=changed,
        result=analyse(raw, changed),
        base=_unchanged(loaded, analyse),
        changes=loading.sets,
        fallback=fallback,
    )


def _unchanged(loaded: source.Loaded, analyse: Analyse[T]) -> T | None:
    """The result without the changes; None where only they make the config a valid one."""
    try:
        return analyse(loaded.raw, api.describe(loaded))
    except FfncalcError:
        return None
