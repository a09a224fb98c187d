"""Activation functions: the values of torch's and transformers' functions, and their lowest points."""

from __future__ import annotations

import math

import pytest

from ffncalc.activations import ALIASES, GATED, KNOWN, chosen, find
from ffncalc.errors import UsageError

POINTS = (-3.0, -1.0, 0.0, 1.0, 3.0)

# transformers.activations.ACT2FN at POINTS in double precision, then the lowest value on a grid of 8,000,001 points
# from −8 to 0.
TORCH = {
    "gelu": (-0.00404969, -0.15865525, 0, 0.84134475, 2.99595031, -0.16997121),
    "gelu_10": (-0.00404969, -0.15865525, 0, 0.84134475, 2.99595031, -0.16997121),
    "gelu_fast": (-0.00363739, -0.15880801, 0, 0.84119199, 2.99636261, -0.17004075),
    "gelu_new": (-0.00363739, -0.15880801, 0, 0.84119199, 2.99636261, -0.17004075),
    "gelu_python": (-0.00404969, -0.15865525, 0, 0.84134475, 2.99595031, -0.16997121),
    "gelu_pytorch_tanh": (-0.00363739, -0.15880801, 0, 0.84119199, 2.99636261, -0.17004075),
    "gelu_accurate": (-0.00363739, -0.15880801, 0, 0.84119199, 2.99636261, -0.17004075),
    "quick_gelu": (-0.01807131, -0.15420423, 0, 0.84579577, 2.98192869, -0.16361019),
    "silu": (-0.14227762, -0.26894142, 0, 0.73105858, 2.85772238, -0.27846454),
    "swish": (-0.14227762, -0.26894142, 0, 0.73105858, 2.85772238, -0.27846454),
    "hardswish": (0, -0.33333333, 0, 0.66666667, 3, -0.375),
    "mish": (-0.14564746, -0.30340146, 0, 0.86509839, 2.98653500, -0.30884341),
    "relu": (0, 0, 0, 1, 3, 0),
    "relu2": (0, 0, 0, 1, 9, 0),
    "relu6": (0, 0, 0, 1, 3, 0),
    "leaky_relu": (-0.03, -0.01, 0, 1, 3, -math.inf),
    "prelu": (-0.75, -0.25, 0, 1, 3, -math.inf),
    "sigmoid": (0.04742587, 0.26894142, 0.5, 0.73105858, 0.95257413, 0),
    "tanh": (-0.99505475, -0.76159416, 0, 0.76159416, 0.99505475, -1),
    "laplace": (0, 0, 0.00609446, 0.85042965, 1, 0),
    "linear": (-3, -1, 0, 1, 3, -math.inf),
    "xielu": (0.13982965, -0.20569645, -0.0000008, 1.3, 8.7, -0.20575122),
}


@pytest.mark.parametrize("name", TORCH)
def test_values_are_those_of_torch(name: str) -> None:
    activation = find(name)
    assert activation is not None
    *values, lowest = TORCH[name]
    assert [activation(x) for x in POINTS] == pytest.approx(values, abs=1e-6)
    assert activation.minimum[1] == pytest.approx(lowest, abs=1e-6)


def test_every_known_function_and_name_is_compared() -> None:
    assert set(KNOWN) <= set(TORCH)
    assert set(ALIASES) - set(TORCH) == {"gelu_python_tanh", "gelu_tanh", "identity", "squared_relu"}
    assert set(ALIASES.values()) | set(GATED.values()) <= set(KNOWN)


@pytest.mark.parametrize(
    ("name", "at"),
    [("gelu", -0.7517916), ("silu", -1.2784645), ("quick_gelu", -1.2784645 / 1.702), ("xielu", math.log(0.375))],
)
def test_the_lowest_point_lies_where_the_derivative_is_zero(name: str, at: float) -> None:
    found = KNOWN[name].minimum[0]
    assert found == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize("x", [-1e6, -800.0, 800.0, 1e6])
def test_no_function_overflows(x: float) -> None:
    for activation in KNOWN.values():
        assert math.isfinite(activation(x))


@pytest.mark.parametrize(
    ("typed", "name", "gated"),
    [
        ("SwiGLU", "silu", True),
        ("glu", "sigmoid", True),
        ("bilinear", "linear", True),
        ("gelu-tanh", "gelu_pytorch_tanh", None),
    ],
)
def test_people_name_functions_and_gated_forms(typed: str, name: str, gated: bool | None) -> None:
    activation, found = chosen(typed)
    assert (activation.name, found) == (name, gated)


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no activation is called 'swigl'") as error:
        chosen("swigl")
    assert "swiglu" in error.value.hint


@pytest.mark.oracle
def test_values_agree_with_torch_itself() -> None:
    torch = pytest.importorskip("torch")
    activations = pytest.importorskip("transformers.activations")
    points = torch.linspace(-6, 6, 241, dtype=torch.float64)
    for name, entry in activations.ACT2CLS.items():
        if name == "sqrtsoftplus":  # scores of a router
            continue
        options = {"dtype": torch.float64} if name == "xielu" else {}
        function = entry(**options) if not isinstance(entry, tuple) else entry[0](**entry[1])
        own = find(name)
        assert own is not None, name
        values = function.to(torch.float64)(points) if hasattr(function, "to") else function(points)
        assert [own(x) for x in points.tolist()] == pytest.approx(
            values.tolist(), abs=2e-6 if name == "xielu" else 1e-6
        )
