"""What can be asked for: a number of parameters, a crossover, a share of the FFN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ffncalc import quantity
from ffncalc.analysis.cost import cost
from ffncalc.analysis.crossover import crossover
from ffncalc.analysis.flops import Phase, point
from ffncalc.analysis.params import params
from ffncalc.errors import UsageError
from ffncalc.ir import Model

Value = Fraction | float  # a float only for infinity: a crossover that never comes

QUANTITIES = {
    "params": "parameters",
    "active": "active parameters",
    "crossover": "crossover",
    "ffn_share": "FFN share of the FLOPs",
}


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is to be met: a `quantity` of QUANTITIES, its value, and the context of an FFN share."""

    quantity: str
    value: Fraction
    ctx: int | None = None

    def of(self, model: Model) -> Value:
        """The value that a model has."""
        if self.quantity in ("params", "active"):
            counted = params(model)
            return Fraction(int(counted.total if self.quantity == "params" else counted.active))
        if self.quantity == "crossover":
            found = crossover(model).ctx
            return math.inf if found is None else Fraction(int(found))
        assert self.ctx is not None
        found_point = point(cost(model), self.ctx, Phase.DECODE, False)
        total = Fraction(found_point.total)
        return Fraction(found_point.by_category["ffn"]) / total if total else Fraction(0)

    def shown(self, value: Value) -> str:
        """A value of this quantity as a person reads it."""
        if value == math.inf:
            return "never"
        if self.quantity == "ffn_share":
            return f"{100 * float(value):.4g} %"
        return f"{int(value):,}"

    def distance(self, value: Value) -> str:
        """How far a value is from the target, with its sign."""
        if value == math.inf:
            return ""
        gap = Fraction(value) - self.value
        if self.quantity == "ffn_share":
            return f"{100 * float(gap):+.4f} points" if gap else "0"
        return f"{int(gap):+,}" if gap else "0"

    @property
    def named(self) -> str:
        """The quantity in words."""
        return QUANTITIES[self.quantity] + (f" at {self.ctx:,}" if self.ctx is not None else "")

    def __str__(self) -> str:
        return f"{self.named} = {self.shown(self.value)}"

    def to_dict(self) -> dict[str, object]:
        """The target in JSON."""
        return {"quantity": self.quantity, "value": exact(self.value), "ctx": self.ctx}


def exact(value: Value) -> int | float | None:
    """A value as JSON holds it: an integer where it is one, null for never."""
    if value == math.inf:
        return None
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else float(value)


def target(quantity_name: str, text: str) -> Target:
    """What is to be met, as a person writes it: ("params", "8B"), ("crossover", "32k"), ("ffn_share", "60%@8k").

    Raises:
        UsageError: no such quantity, or no value of it.
    """
    if quantity_name not in QUANTITIES:
        raise UsageError(f"{quantity_name!r} cannot be a target", f"Possible are {', '.join(QUANTITIES)}.")
    if quantity_name == "ffn_share":
        return _share(text)
    value = quantity.parse(text)
    if value < 1:
        raise UsageError(f"a target must be at least 1, got {text}")
    return Target(quantity=quantity_name, value=Fraction(value))


def _share(text: str) -> Target:
    share, at, ctx = text.partition("@")
    number = quantity.fraction(share.strip().removesuffix("%").strip()) / (100 if "%" in share else 1)
    if not at or not 0 < number < 1:
        raise UsageError(f"{text!r} is not a share at a context", "Write 60%@8k: between 0 % and 100 %, at 8,000 keys.")
    context = quantity.parse(ctx)
    if context < 1:
        raise UsageError(f"context must be at least 1, got {ctx}")
    return Target(quantity="ffn_share", value=number, ctx=context)
