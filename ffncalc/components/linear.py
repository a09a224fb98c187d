"""Linear maps and bare parameters, as tensors."""

from __future__ import annotations

from ffncalc.ir import Role, Tensor, Use


def dotted(name: str, leaf: str) -> str:
    """`name.leaf`, or `leaf` where the component itself is the module."""
    return f"{name}.{leaf}" if name else leaf


def linear(
    name: str,
    width: int,
    out: int,
    role: Role,
    *,
    bias: bool = False,
    transposed: bool = False,
    source: bool = False,
    tied: str = "",
    tied_bias: str = "",
) -> tuple[Tensor, ...]:
    """Weight [out, width] (`transposed`: [width, out], as GPT-2's Conv1D stores it) and bias [out].

    `source`: it multiplies source tokens. `tied` and `tied_bias` name the tensors whose storage they share.
    """
    shape = (width, out) if transposed else (out, width)
    weight = Tensor(dotted(name, "weight"), shape, role, source=source, tied=tied, transposed=transposed)
    return (weight, vector(dotted(name, "bias"), out, role, tied=tied_bias)) if bias else (weight,)


def vector(name: str, width: int, role: Role, *, tied: str = "") -> Tensor:
    """A learned vector [width] that is added or multiplied element by element: bias, gain, sink."""
    return Tensor(name, (width,), role, use=Use.ELEMENTWISE, tied=tied)
