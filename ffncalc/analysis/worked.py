"""An FFN on numbers small enough to follow by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ffncalc import activations
from ffncalc.analysis.ffn import ffn
from ffncalc.analysis.form import Form
from ffncalc.analysis.names import ffn_kind
from ffncalc.errors import UsageError
from ffncalc.ir import Model

Vector = tuple[float, ...]
Rows = tuple[Vector, ...]

X: Vector = (1, 2)
FIRST: Rows = ((1, 0, 1), (0, 1, -1))  # up, or gate where there is one; x multiplies from the left
SECOND: Rows = ((1, 0.5, 0), (1, 0, 2))  # up where there is a gate
DOWN: Rows = ((1, 0), (0, 1), (1, -1))


@dataclass(frozen=True)
class Stage:
    """One step: what it is called, the formula, and the numbers it gives."""

    name: str
    formula: str
    numbers: Vector

    def to_dict(self) -> dict[str, object]:
        """The step in JSON."""
        return {"name": self.name, "formula": self.formula, "values": list(self.numbers)}


@dataclass(frozen=True, kw_only=True)
class Worked:
    """A form of FFN worked through on the toy input."""

    form: Form
    stages: tuple[Stage, ...]

    @property
    def title(self) -> str:
        """The name and the formula of the form."""
        clamped = "clamped " if self.form.clamp else ""
        return f"{clamped}{ffn_kind(self.form.activation, gated=self.form.gated)}: {self.form.formula}"

    @property
    def matrices(self) -> dict[str, Rows]:
        """The toy weights that the form uses."""
        if self.form.gated:
            return {"gate": FIRST, "up": SECOND, "down": DOWN}
        return {"up": FIRST, "down": DOWN}

    @property
    def output(self) -> Vector:
        """What the FFN answers."""
        return self.stages[-1].numbers

    def to_dict(self) -> dict[str, object]:
        """The worked example in JSON."""
        return {
            "form": self.form.to_dict(),
            "x": list(X),
            "matrices": {name: [list(row) for row in rows] for name, rows in self.matrices.items()},
            "steps": [stage.to_dict() for stage in self.stages],
            "output": list(self.output),
        }


def other_form(form: Form | None, activation: str | None, gated: bool | None) -> Form:
    """A form with another activation, or gated or not; whatever else is special about `form` is dropped then.

    Raises:
        UsageError: there is no such activation, or its name contradicts `gated`.
    """
    base = form or Form(activation="gelu", gated=False)
    if activation is None and gated is None:
        return base
    name, implied = base.activation, None
    if activation is not None:
        found, implied = activations.chosen(activation)
        name = found.name
        if implied and gated is False:
            raise UsageError(f"{activation} is a gated form", f"Its ungated one is --act {name} --ungated")
    wanted = gated if gated is not None else implied
    return Form(activation=name, gated=base.gated if wanted is None else wanted)


def worked(model: Model, *, activation: str | None = None, gated: bool | None = None) -> tuple[Worked, ...]:
    """Each form of FFN of a model on the toy input; with `activation` or `gated`, its first form changed that way.

    Raises:
        UsageError: no such activation, or one whose values are not known.
    """
    forms = ffn(model).forms
    if activation is not None or gated is not None:
        forms = (other_form(forms[0] if forms else None, activation, gated),)
    return tuple(work(form) for form in forms)


def work(form: Form) -> Worked:
    """Every step of an FFN of that form, without biases, gains of norms and RWKV's receptance.

    Raises:
        UsageError: the values of its activation are not known.
    """
    form = replace(form, receptance=False)
    return Worked(form=form, stages=tuple(_stages(form)))


def _stages(form: Form) -> Iterator[Stage]:
    function = form.function
    if function is None:
        raise UsageError(f"the values of the activation {form.activation!r} are not known", "Try another with --act")
    name = "gate" if form.gated else "up"
    value = times(X, FIRST)
    yield Stage(name, f"x · {name}", value)
    if form.clamp:
        value = tuple(min(v, form.clamp.limit) for v in value)
        yield Stage(f"{name}, clamped", f"min({name}, {form.clamp.limit:g})", value)
    if form.sparsity:
        mean = sum(value) / len(value)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in value) / len(value))
        cutoff = mean + form.deviations * deviation
        value = tuple(max(v - cutoff, 0.0) for v in value)
        yield Stage(f"{name}, cut", f"max({name} − {cutoff:.3f}, 0)", value)
    hidden = tuple(function(v) for v in value)
    if form.acted(name) != name:
        yield Stage(form.acted(name), function.formula, hidden)
    if form.gated:
        up = times(X, SECOND)
        yield Stage("up", "x · up", up)
        if form.clamp:
            limit, shift = form.clamp.limit, form.clamp.shift
            up = tuple(min(max(v, -limit), limit) + shift for v in up)
            added = f" + {shift:g}" if shift else ""
            yield Stage("up, clamped", f"min(max(up, −{limit:g}), {limit:g}){added}", up)
        hidden = tuple(g * u for g, u in zip(hidden, up, strict=True))
        yield Stage("hidden", f"{form.acted('gate')} ⊙ up", hidden)
    if form.normed:
        size = math.sqrt(sum(h * h for h in hidden) / len(hidden))
        hidden = tuple(h / size for h in hidden)
        yield Stage("hidden, normed", "hidden / root mean square", hidden)
    yield Stage("output", "hidden · down", times(hidden, DOWN))


def times(vector: Sequence[float], rows: Rows) -> Vector:
    """A row vector times a matrix."""
    return tuple(sum(v * row[j] for v, row in zip(vector, rows, strict=True)) for j in range(len(rows[0])))
