"""Where the width of an FFN comes from: from the width of the model forwards, and back to the recipes that give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ffncalc.analysis.params import expansions
from ffncalc.errors import UsageError, shown
from ffncalc.formula import Num, symbols
from ffncalc.ir import Model
from ffncalc.quantity import fraction

LARGEST = 10**9  # the largest width that is worked with
TWO_THIRDS = Fraction(2, 3)
POWERS = tuple(2**k for k in range(1, 14))  # 2 … 8,192
MULTIPLES = (*POWERS, *(64 * k for k in range(3, 65) if k & (k - 1)))  # then 64·k up to 4,096
MULTIPLIERS = tuple(Fraction(k, 20) for k in range(5, 101) if k != 20)  # 0.25 … 5 in steps of 0.05
RATIOS = tuple(Fraction(k, 8) for k in range(1, 129) if k != 32)  # 1/8 … 16, without 4


@dataclass(frozen=True)
class Step:
    """A width on the way, and how it comes from the one before."""

    width: int
    formula: str
    word: str

    def to_dict(self) -> dict[str, object]:
        """The step in JSON."""
        return {"width": self.width, "formula": self.formula, "word": self.word}


@dataclass(frozen=True, kw_only=True)
class Chain:
    """The way from the width of a model to that of its FFN."""

    hidden_size: int
    gated: bool
    steps: tuple[Step, ...]

    @property
    def result(self) -> int:
        """The width of the FFN."""
        return self.steps[-1].width

    @property
    def ratio(self) -> float:
        """FFN width / model width."""
        return self.result / self.hidden_size

    @property
    def params(self) -> int:
        """Weights of one such FFN, biases out."""
        return (3 if self.gated else 2) * self.hidden_size * self.result

    @property
    def equivalent(self) -> float:
        """Weights against the two-matrix FFN of four times the width."""
        return self.params / (8 * self.hidden_size**2)

    def to_dict(self) -> dict[str, object]:
        """The `width` object of the JSON contract, forwards."""
        return {
            "mode": "forward",
            "hidden_size": self.hidden_size,
            "gated": self.gated,
            "steps": [step.to_dict() for step in self.steps],
            "result": self.result,
            "ratio": self.ratio,
            "parameter_equivalent": self.equivalent,
            "params": self.params,
        }


def width(
    hidden_size: int,
    *,
    gated: bool = True,
    ratio: Fraction | str | None = None,
    multiplier: Fraction | str | None = None,
    multiple_of: int = 1,
) -> Chain:
    """The width of an FFN by the rule of Llama: 4 × hidden_size, two thirds of it where gated, a factor, rounding up.

    `ratio` replaces 4 and its two thirds. Each step is cut to an integer, as Llama's code does.

    Raises:
        UsageError: a number that is not positive, or a result that is no width.
    """
    base = None if ratio is None else _positive("ratio", ratio)
    factor = None if multiplier is None else _positive("multiplier", multiplier)
    if hidden_size < 1 or multiple_of < 1:
        raise UsageError("the width and the multiple must be at least 1")
    steps = tuple(_steps(hidden_size, gated, base, factor, multiple_of))
    if not 1 <= steps[-1].width <= LARGEST:
        raise UsageError(f"the width {steps[-1].width:,} is not between 1 and {LARGEST:,}")
    return Chain(hidden_size=hidden_size, gated=gated, steps=steps)


def _positive(name: str, value: Fraction | str) -> Fraction:
    number = fraction(value)
    if not 0 < number <= LARGEST:
        raise UsageError(f"the {name} must be a positive number, got {shown(value)}")
    return number


def _steps(
    hidden_size: int, gated: bool, ratio: Fraction | None, multiplier: Fraction | None, multiple_of: int
) -> Iterator[Step]:
    if ratio is None:
        now = 4 * hidden_size
        yield Step(now, f"4 × {hidden_size}", "four times the width of the model")
        if gated:
            now, before = 2 * now // 3, now
            word = "two thirds of it, cut to an integer: three matrices then hold as much as two did"
            yield Step(now, f"⌊2/3 × {before}⌋", word)
    else:
        now = int(ratio * hidden_size)
        yield Step(now, f"⌊{decimal(ratio)} × {hidden_size}⌋", f"{decimal(ratio)} times the width of the model")
    if multiplier is not None:
        now, before = int(multiplier * now), now
        yield Step(now, f"⌊{decimal(multiplier)} × {before}⌋", "the multiplier, cut to an integer")
    if multiple_of > 1:
        now, before = -(-now // multiple_of) * multiple_of, now
        word = f"rounded up to a multiple of {multiple_of}"
        yield Step(now, f"{multiple_of} × ⌈{before} / {multiple_of}⌉", word)


def decimal(number: Fraction) -> str:
    """A fraction as a decimal where it is one, else as a quotient."""
    text = f"{float(number):.12g}"
    return text if Fraction(text) == number else str(number)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A way to a width: `ratio` (None: the rule of 4, two thirds where gated), a multiplier, multiples that all work.

    `rounded` is how much the rounding adds, `cost` how far the recipe is from the simplest.
    """

    ratio: Fraction | None
    multiplier: Fraction | None
    multiples: tuple[int, ...]
    rounded: int
    cost: int
    chain: Chain

    def to_dict(self) -> dict[str, object]:
        """The recipe in JSON."""
        return {
            "ratio": None if self.ratio is None else float(self.ratio),
            "multiplier": None if self.multiplier is None else float(self.multiplier),
            "multiple_of": list(self.multiples),
            "steps": [step.width for step in self.chain.steps],
        }


def recipes(hidden_size: int, hidden: int, *, gated: bool = True) -> tuple[Recipe, ...]:
    """The recipes that turn `hidden_size` into `hidden`, simplest first; may be none.

    Tried are the rule of Llama with multipliers of 0.25 … 5 in steps of 0.05, ratios in eighths up to 16, and rounding
    up to a power of two or to 64·k, at most half of `hidden`. The fewer parts the simpler; whole ratios before halves,
    one decimal before two, less rounding before more.
    """
    found = []
    bases = [(None, m) for m in (None, *MULTIPLIERS)] + [(ratio, None) for ratio in RATIOS]
    if gated:
        bases.append((Fraction(4), None))
    for ratio, multiplier in bases:
        plain = tuple(_steps(hidden_size, gated, ratio, multiplier, 1))[-1].width
        gap = hidden - plain
        fits = () if gap <= 0 else tuple(m for m in MULTIPLES if gap < m <= hidden // 2 and hidden % m == 0)
        if gap == 0 or fits:
            cost = _ratio_cost(ratio) + _multiplier_cost(multiplier) + _rounding_cost(fits)
            chain = Chain(
                hidden_size=hidden_size,
                gated=gated,
                steps=tuple(_steps(hidden_size, gated, ratio, multiplier, fits[0] if fits else 1)),
            )
            recipe = Recipe(ratio=ratio, multiplier=multiplier, multiples=fits, rounded=gap, cost=cost, chain=chain)
            found.append(recipe)
    return tuple(sorted(found, key=lambda r: (r.cost, r.rounded)))


def _ratio_cost(ratio: Fraction | None) -> int:
    return 0 if ratio is None else ratio.denominator.bit_length()


def _multiplier_cost(multiplier: Fraction | None) -> int:
    return 0 if multiplier is None else 2 if (10 * multiplier).denominator == 1 else 3


def _rounding_cost(multiples: tuple[int, ...]) -> int:
    if not multiples:
        return 0
    return 1 if multiples[0] in POWERS else 2 + (multiples[0] // 64).bit_length()


@dataclass(frozen=True, kw_only=True)
class Origin:
    """One FFN width of a model: how the config gives it, and the recipes for it."""

    kind: str
    layers: int
    hidden_size: int
    hidden: int
    gated: bool
    derivation: str
    recipes: tuple[Recipe, ...]

    def to_dict(self) -> dict[str, Any]:
        """The width in JSON."""
        return {
            "kind": self.kind,
            "layers": self.layers,
            "hidden_size": self.hidden_size,
            "hidden": self.hidden,
            "gated": self.gated,
            "ratio": self.hidden / self.hidden_size,
            "derivation": self.derivation,
            "recipes": [recipe.to_dict() for recipe in self.recipes],
        }


@dataclass(frozen=True, kw_only=True)
class Origins:
    """The FFN widths of a model."""

    widths: tuple[Origin, ...]

    def to_dict(self) -> dict[str, Any]:
        """The `width` object of the JSON contract, backwards."""
        return {"mode": "explain", "widths": [each.to_dict() for each in self.widths]}


def origins(model: Model) -> Origins:
    """The recipes that give each FFN width of a model; none where it has no FFN."""
    return Origins(
        widths=tuple(
            Origin(
                kind=each.kind,
                layers=each.layers,
                hidden_size=int(each.width),
                hidden=int(each.hidden),
                gated=each.gated,
                derivation=symbols(each.hidden) if isinstance(each.hidden, Num) else "",
                recipes=recipes(int(each.width), int(each.hidden), gated=each.gated),
            )
            for each in expansions(model)
        )
    )
