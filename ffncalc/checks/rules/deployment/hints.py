"""What to write in place of a number of ranks that does not work."""

from __future__ import annotations

from ffncalc.analysis.parallel import parallel
from ffncalc.checks.quantisation import block_of
from ffncalc.checks.subject import Subject


def tp_hint(subject: Subject) -> str:
    """The numbers of ranks that work for this model."""
    assert subject.model is not None
    good = [split.tp for split in parallel(subject.model, block=block_of(subject.raw)).splits if split.works]
    return f"--tp that works: {listed(good)}." if good != [1] else "No --tp above 1 works."


def listed(numbers: list[int] | tuple[int, ...]) -> str:
    """Numbers in a row, the largest of many left out.

    >>> listed([1, 2, 4])
    '1, 2, 4'
    """
    shown = ", ".join(map(str, numbers[:12]))
    return f"{shown} …" if len(numbers) > 12 else shown
