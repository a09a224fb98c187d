"""Activation functions by the names that configs use (transformers' ACT2FN): their values, minima and formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ffncalc.errors import UsageError, nearest, shown

ROOT = math.sqrt(2 / math.pi)
LOW, HIGH = -8.0, 0.0  # where the functions that dip below zero have their minimum

Function = Callable[[float], float]


@dataclass(frozen=True, kw_only=True)
class Activation:
    """A function of one number.

    `formula` is written in x, with σ the logistic function and Φ the normal distribution. `floor` is what the values
    never fall below; None where the function dips and its minimum has to be found, −∞ where it has none. `learned`
    marks functions with weights of their own: their values are those before training.
    """

    name: str
    title: str
    formula: str
    function: Function
    floor: float | None = None
    reached: bool = True
    learned: bool = False
    source: str = ""

    def __call__(self, x: float) -> float:
        return self.function(x)

    @property
    def minimum(self) -> tuple[float | None, float]:
        """(x, value) of the lowest point.

        x is None where all x ≤ 0 have that value, where it is only approached, or where there is no lowest point.
        """
        if self.floor is not None:
            return None, self.floor
        at = lowest(self.function)
        return at, self.function(at)


def lowest(function: Function) -> float:
    """Where a function that falls and then rises between LOW and HIGH is lowest, by golden section."""
    ratio = (math.sqrt(5) - 1) / 2
    low, high = LOW, HIGH
    while high - low > 1e-12:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if function(a) < function(b) else (a, high)
    return (low + high) / 2


def sigmoid(x: float) -> float:
    """1 / (1 + e^−x), without overflow."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x))


def softplus(x: float) -> float:
    """ln(1 + e^x), without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def gelu(x: float) -> float:
    """x · Φ(x)."""
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def gelu_tanh(x: float) -> float:
    """The approximation of GELU with a tanh."""
    return 0.5 * x * (1 + math.tanh(ROOT * (x + 0.044715 * x**3)))


def swish(slope: float) -> Function:
    """x · σ(slope · x)."""
    return lambda x: x * sigmoid(slope * x)


def xielu(x: float, *, positive: float = 0.8, negative: float = 0.8, beta: float = 0.5) -> float:
    """xIELU with its two learned factors, 0.8 before training."""
    if x > 0:
        return positive * x * x + beta * x
    return negative * (math.expm1(x) - x) + beta * x


def clipped(function: Function, low: float, high: float) -> Function:
    """A function whose values are cut off at both ends."""
    return lambda x: min(max(function(x), low), high)


GELU = "https://arxiv.org/abs/1606.08415"
TANH = "0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))"
NEVER = -math.inf

KNOWN = {
    each.name: each
    for each in (
        Activation(name="gelu", title="GELU", formula="x · Φ(x)", function=gelu, source=GELU),
        Activation(
            name="gelu_pytorch_tanh",
            title="GELU, tanh approximation",
            formula=TANH,
            function=gelu_tanh,
            source=GELU,
        ),
        Activation(
            name="gelu_10",
            title="GELU cut off at −10 and 10",
            formula="min(max(x · Φ(x), −10), 10)",
            function=clipped(gelu, -10, 10),
            source="https://arxiv.org/abs/2004.09602",
        ),
        Activation(
            name="quick_gelu",
            title="quick GELU",
            formula="x · σ(1.702 · x)",
            function=swish(1.702),
            source=GELU,
        ),
        Activation(
            name="silu",
            title="SiLU (swish)",
            formula="x · σ(x)",
            function=swish(1.0),
            source="https://arxiv.org/abs/1702.03118",
        ),
        Activation(
            name="hardswish",
            title="hard swish",
            formula="x · min(max(x + 3, 0), 6) / 6",
            function=lambda x: x * min(max(x + 3, 0.0), 6.0) / 6,
            source="https://arxiv.org/abs/1905.02244",
        ),
        Activation(
            name="mish",
            title="mish",
            formula="x · tanh(ln(1 + e^x))",
            function=lambda x: x * math.tanh(softplus(x)),
            source="https://arxiv.org/abs/1908.08681",
        ),
        Activation(name="relu", title="ReLU", formula="max(x, 0)", function=lambda x: max(x, 0.0), floor=0.0),
        Activation(
            name="relu2",
            title="squared ReLU",
            formula="max(x, 0)²",
            function=lambda x: max(x, 0.0) ** 2,
            floor=0.0,
            source="https://arxiv.org/abs/2109.08668",
        ),
        Activation(
            name="relu6",
            title="ReLU cut off at 6",
            formula="min(max(x, 0), 6)",
            function=lambda x: min(max(x, 0.0), 6.0),
            floor=0.0,
        ),
        Activation(
            name="leaky_relu",
            title="leaky ReLU",
            formula="max(x, 0) + 0.01 · min(x, 0)",
            function=lambda x: x if x >= 0 else 0.01 * x,
            floor=NEVER,
        ),
        Activation(
            name="prelu",
            title="PReLU",
            formula="max(x, 0) + a · min(x, 0), a learned, 0.25 at first",
            function=lambda x: x if x >= 0 else 0.25 * x,
            floor=NEVER,
            learned=True,
            source="https://arxiv.org/abs/1502.01852",
        ),
        Activation(
            name="xielu",
            title="xIELU",
            formula="a · x² + 0.5 · x for x > 0, else b · (e^x − 1 − x) + 0.5 · x; a and b learned, 0.8 at first",
            function=xielu,
            learned=True,
            source="https://arxiv.org/abs/2411.13010",
        ),
        Activation(
            name="sigmoid", title="sigmoid", formula="σ(x) = 1 / (1 + e^−x)", function=sigmoid, floor=0.0, reached=False
        ),
        Activation(name="tanh", title="tanh", formula="tanh(x)", function=math.tanh, floor=-1.0, reached=False),
        Activation(
            name="laplace",
            title="Laplace",
            formula="0.5 · (1 + erf((x − 0.707107) / (0.282095 · √2)))",
            function=lambda x: 0.5 * (1 + math.erf((x - 0.707107) / (0.282095 * math.sqrt(2)))),
            floor=0.0,
            reached=False,
            source="https://arxiv.org/abs/2209.10655",
        ),
        Activation(name="linear", title="none (linear)", formula="x", function=lambda x: x, floor=NEVER),
    )
}

# Other names of the same functions; transformers has several ways to compute GELU that differ by rounding only.
ALIASES = {
    "gelu_accurate": "gelu_pytorch_tanh",
    "gelu_fast": "gelu_pytorch_tanh",
    "gelu_new": "gelu_pytorch_tanh",
    "gelu_python": "gelu",
    "gelu_python_tanh": "gelu_pytorch_tanh",
    "gelu_tanh": "gelu_pytorch_tanh",
    "identity": "linear",
    "squared_relu": "relu2",
    "swish": "silu",
}

# Gated forms by the names of "GLU Variants Improve Transformer", https://arxiv.org/abs/2002.05202.
GATED = {"glu": "sigmoid", "bilinear": "linear", "reglu": "relu", "geglu": "gelu", "swiglu": "silu"}


def find(name: str) -> Activation | None:
    """The activation that a config calls `name`; None for one that is not known."""
    return KNOWN.get(ALIASES.get(name, name))


def chosen(name: str) -> tuple[Activation, bool | None]:
    """The activation that a person names, and whether the name says that it is gated.

    >>> chosen("geglu")[0].name, chosen("geglu")[1], chosen("relu")[1]
    ('gelu', True, None)

    Raises:
        UsageError: no such activation, with the nearest names.
    """
    key = name.strip().lower().replace("-", "_")
    activation = find(GATED.get(key, key))
    if activation is None:
        names = [*KNOWN, *ALIASES, *GATED]
        near = nearest(key, names)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known are {', '.join(sorted(names))}."
        raise UsageError(f"no activation is called {shown(name)}", hint)
    return activation, True if key in GATED else None
