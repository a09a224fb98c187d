"""Contexts to look at."""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.errors import UsageError
from ffncalc.ir import Model

USUAL = (1, 2**10, 2**13, 2**15, 2**17)


def contexts_of(model: Model, ctx: int | Sequence[int] | None) -> tuple[int, ...]:
    """The contexts asked for, in order; without any, the usual ones and the model's maximum.

    Raises:
        UsageError: one is below 1.
    """
    if ctx is None:
        return tuple(sorted({*USUAL, *((int(model.max_context),) if model.max_context else ())}))
    found = (ctx,) if isinstance(ctx, int) else tuple(ctx)
    if not found:
        raise UsageError("no context was given")
    for number in found:
        at_least_one(number)
    return found


def at_least_one(number: int | None, what: str = "context") -> None:
    """Refuse what is no length.

    Raises:
        UsageError: it is below 1.
    """
    if number is not None and number < 1:
        raise UsageError(f"{what} must be at least 1, got {number}")
