"""Numbers as people read them."""

from __future__ import annotations

from itertools import pairwise

from ffncalc.analysis.layers import consecutive

UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))


def grouped(number: int, *, sign: bool = False) -> str:
    """All digits, in groups of three: `8,030,261,248`."""
    return f"{int(number):+,}" if sign else f"{int(number):,}"


def short(number: int) -> str:
    """Three digits and a unit: `8.03 B`, `671 B`, `124 M`; below a thousand the number itself.

    >>> short(8_030_261_248), short(999_999), short(512)
    ('8.03 B', '1.00 M', '512')
    """
    size = abs(number)
    for unit, letter in UNITS:
        if size * 2000 >= unit * 1999:  # 999.5 K and up are shown as M
            scaled = number / unit
            digits = 2 if abs(scaled) < 9.995 else 1 if abs(scaled) < 99.95 else 0
            return f"{scaled:.{digits}f} {letter}"
    return str(int(number))


def percent(share: float) -> str:
    """One decimal, and as many as it takes to tell the share from 0 % and 100 %.

    >>> percent(0.70199), percent(0.0000332), percent(0.99996), percent(0.0), percent(1.0)
    ('70.2 %', '0.003 %', '99.996 %', '0 %', '100 %')
    """
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f} %"
    for digits in range(1, 13):
        text = f"{value:.{digits}f}"
        if float(text) not in (0, 100):
            return f"{text} %"
    return f"{value:.1g} %"


def ratio(value: float) -> str:
    """At most five digits, no zeros at the end: `3.5`, `2.6875`, `0.28571`."""
    return f"{value:.5g}"


def runs(numbers: tuple[int, ...]) -> str:
    """Whole numbers as ranges: `0–2`, `0, 2, …, 40`.

    >>> runs((0, 1, 2, 5)), runs((0, 2, 4, 6, 8)), runs(tuple(n for n in range(24) if n % 6 < 5))
    ('0–2, 5', '0, 2, …, 8', '0–4, 6–10, …, 18–22')
    """
    spans = consecutive(sorted(numbers))
    shown = [str(a) if a == b else f"{a}–{b}" for a, b in spans]
    lengths = {b - a for a, b in spans}
    distances = {right[0] - left[0] for left, right in pairwise(spans)}
    even = len(shown) > 3 and len(lengths) == len(distances) == 1
    return ", ".join([*shown[:2], "…", shown[-1]] if even else shown)


def decimal(value: float) -> str:
    """At most three decimals, no zeros at the end, with a minus sign: `0.731`, `−1`, `0`.

    >>> decimal(0.7310586), decimal(-1.0), decimal(-0.0000001), decimal(1.25)
    ('0.731', '−1', '0', '1.25')
    """
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return text.replace("-", "−") if float(text) else "0"
