"""Numbers that divide a size, for hints that say what would work."""

from __future__ import annotations

from math import isqrt


def divisors(number: int) -> list[int]:
    """All divisors of a positive number, smallest first.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    small = [n for n in range(1, isqrt(number) + 1) if number % n == 0]
    return small + [number // n for n in reversed(small) if n * n != number]
