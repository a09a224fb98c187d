"""Bisection on the real model, built anew for every value that is tried."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError, UsageError
from ffncalc.inverse.depth import DEPTHS, resized
from ffncalc.inverse.fields import assignments, build, changed, lookup, now, widest
from ffncalc.inverse.goals import QUANTITIES, Target, Value
from ffncalc.inverse.solution import Candidate, Solution
from ffncalc.ir import Model
from ffncalc.schema import DEEPEST, LARGEST


@dataclass(kw_only=True)
class Search:
    """Bisection over the multiples of `step`; every value that was tried is kept, and has to be monotone."""

    raw: Mapping[str, Any]
    target: Target
    fields: tuple[str, ...]
    step: int
    model: Model
    tried: dict[int, Candidate | ConfigError] = field(default_factory=dict)
    continued: tuple[str, ...] = ()

    def solve(self) -> Solution:
        start = max(now(self.raw, self.fields, self.model) // self.step, 1)
        low, high = self._ends(start)
        rising = self._rising(low, high)
        low, high = self._bracket(low, high, rising)
        while high - low > 1:
            middle = (low + high) // 2
            if self._reaches(middle, rising):
                high = middle
            else:
                low = middle
        self._check(rising)
        best = min((low, high), key=lambda k: (self._distance(k), k))
        value = best * self.step
        return Solution(
            target=self.target,
            fields=self.fields,
            multiple_of=self.step,
            now=self._candidate(self.model, now(self.raw, self.fields, self.model)),
            answer=self._at(best),
            below=self._neighbour(best - 1),
            above=self._neighbour(best + 1),
            rising=rising,
            assignments=(*assignments(self.raw, self.fields, value), *self._lists(value)),
            continued=self.continued,
            evaluations=len(self.tried),
        )

    def _lists(self, value: int) -> tuple[str, ...]:
        """What else must be set, for a number of layers that lists of one entry per layer have to follow."""
        raw, names = resized(changed(self.raw, self.fields, value), self.fields, self.raw)
        return tuple(f"{name}={json.dumps(lookup(raw, name))}" for name in names)

    def _candidate(self, model: Model, value: int) -> Candidate:
        return Candidate(field_value=value, width=int(widest(model)), value=self.target.of(model))

    def _try(self, k: int) -> Candidate | ConfigError:
        """The candidate k × step, or why there is none."""
        if k not in self.tried:
            value = k * self.step
            try:
                if value > LARGEST:
                    raise ConfigError(f"{self.fields[0]}: more than {LARGEST:,}")
                raw, self.continued = resized(changed(self.raw, self.fields, value), self.fields, self.raw)
                model = build(raw)
                chosen_all(model)
                self.tried[k] = self._candidate(model, value)
            except ConfigError as error:
                self.tried[k] = error
        return self.tried[k]

    def _at(self, k: int) -> Candidate:
        found = self._try(k)
        if isinstance(found, ConfigError):
            raise UsageError(
                f"{self._names} = {k * self.step:,} gives no valid config: {found.message}",
                "Choose the step with --multiple-of, so that every value is valid.",
            )
        return found

    @property
    def _names(self) -> str:
        return " and ".join(self.fields)

    def _valid(self, k: int) -> bool:
        return k >= 1 and not isinstance(self._try(k), ConfigError)

    def _ends(self, start: int) -> tuple[int, int]:
        """The lowest and highest k worth looking at: as far as the target or the limit of the field."""
        if not self._valid(start) and not self._valid(1):
            self._at(start)
        low = 1 if self._valid(1) else start
        high = low
        limit = DEEPEST if self.fields[0].rpartition(".")[2] in DEPTHS else LARGEST // self.step
        while high < limit and self._valid(wider := min(max(2 * high, 2), limit)):
            high = wider
            if high >= start and self._passed(low, high):
                return low, high
        top = min(2 * high, limit)
        while top - high > 1:  # the highest value that gives a valid config
            middle = (high + top) // 2
            high, top = (middle, top) if self._valid(middle) else (high, middle)
        return low, high

    def _passed(self, low: int, high: int) -> bool:
        a, b = self._at(low).value, self._at(high).value
        return a != b and min(a, b) <= self.target.value <= max(a, b)

    def _rising(self, low: int, high: int) -> bool:
        first, last = self._at(low).value, self._at(high).value
        if first == last:
            name = QUANTITIES[self.target.quantity]
            raise UsageError(
                f"{self._names} does not change the {name}: {self.target.shown(first)} for every value",
                "Name another field with --vary.",
            )
        return last > first

    def _reaches(self, k: int, rising: bool) -> bool:
        """Whether the value at k has passed the target, coming from low k."""
        value = self._at(k).value
        return value >= self.target.value if rising else value <= self.target.value

    def _bracket(self, low: int, high: int, rising: bool) -> tuple[int, int]:
        """Ends on both sides of the target.

        Raises:
            UsageError: the target lies outside what the field can reach.
        """
        if self._reaches(low, rising):
            first = self._at(low)
            if first.value == self.target.value:
                return low, low
            self._unreachable(first, "smallest")
        if not self._reaches(high, rising):
            self._unreachable(self._at(high), "largest")
        return low, high

    def _unreachable(self, end: Candidate, which: str) -> None:
        side = "still above" if end.value > self.target.value else "still below"
        raise UsageError(
            f"no value of {self._names} gives {self.target}: with {end.field_value:,}, the {which} that is valid in "
            f"steps of {self.step}, the value is {self.target.shown(end.value)}, {side}",
            "Everything else stays as it is: change it with --set, or name another field with --vary.",
        )

    def _check(self, rising: bool) -> None:
        """Bisection finds the answer only where the values go one way."""
        values = [c.value for _, c in sorted(self.tried.items()) if isinstance(c, Candidate)]
        if not all((a <= b) if rising else (a >= b) for a, b in pairwise(values)):
            raise UsageError(
                f"with {self._names} the {QUANTITIES[self.target.quantity]} neither only rise nor only fall",
                "Name another field with --vary.",
            )

    def _distance(self, k: int) -> Value:
        value = self._at(k).value
        return value if isinstance(value, float) else abs(value - self.target.value)

    def _neighbour(self, k: int) -> Candidate | None:
        found = self._try(k) if k >= 1 else None
        return found if isinstance(found, Candidate) else None


def chosen_all(model: Model) -> None:
    """Raises ConfigError where a token would choose more experts than there are."""
    for block in model.layers:
        for part in block.parts:
            if isinstance(part, MoE) and part.top_k > part.experts:
                raise ConfigError(f"a token cannot choose {part.top_k} of {part.experts} experts")
