"""Numbers as a person types them."""

from __future__ import annotations

import re
from fractions import Fraction

from ffncalc.errors import UsageError, shown

SUFFIXES = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "b": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}
NUMBER = re.compile(
    r"([+-]?)(\d+(?:_\d+)*|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,30}))?\s?([kmgbt]i?|)", re.IGNORECASE | re.ASCII
)
FORMS = "Write 128000, 128_000, 128k (thousand), 128Ki (1024), 1.5M or 8B."


LIKE_A_NUMBER = re.compile(r"[+-]?[.,_]?\d[\d.,_]*\s?(?:[kmgbt]i?|e[+-]?\d+)?%?", re.IGNORECASE | re.ASCII)


def parse(text: str) -> int:
    """The whole number that `text` stands for, exactly.

    >>> parse("128_000"), parse("128k"), parse("128Ki"), parse("1.5M"), parse("8B")
    (128000, 128000, 131072, 1500000, 8000000000)

    Raises:
        UsageError: it is no number, or not a whole one.
    """
    found = NUMBER.fullmatch(text.strip())
    scale = SUFFIXES.get(found[4].lower()) if found else None
    if found is None or scale is None:
        raise UsageError(f"{shown(text)} is not a whole number", FORMS)
    if len(found[2]) > 40:
        raise UsageError(f"{shown(text)} is too large a number")
    sign, whole, part, _ = found.groups()
    value = scale * Fraction(f"{sign}{whole.replace('_', '').replace(',', '')}.{part or 0}")
    if value.denominator != 1:
        raise UsageError(f"{shown(text)} is not a whole number", FORMS)
    return int(value)


EXPONENT = re.compile(r"e[+-]?0*(\d+)", re.IGNORECASE)


def fraction(text: Fraction | float | str) -> Fraction:
    """A ratio exactly: `1.3`, `4/3`, `1e-3`. 0 for what is no number, or one too long or too far from 1 to be meant."""
    if isinstance(text, str):
        exponent = EXPONENT.search(text)
        if len(text) > 100 or (exponent and (len(exponent[1]) > 2 or int(exponent[1]) > 30)):
            return Fraction(0)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        return Fraction(0)
