"""Feed-forward networks of one expert or layer."""

from __future__ import annotations

from ffncalc.components.linear import linear, vector
from ffncalc.ir import Component, Role, Tensor
from ffncalc.record import record


@record(frozen=True)
class Clamp:
    """Bounds before gate and up meet: gate at most `limit`, up within ±`limit`, `shift` added to it.

    `slope` is that of the sigmoid in the activation, x · σ(slope · x).
    """

    limit: float
    slope: float = 1.0
    shift: float = 0.0


@record(frozen=True, kw_only=True)
class GatedFFN(Component):
    """down(act(gate(x)) ⊙ up(x)) (arXiv:2002.05202): 3 × width × hidden weights.

    `fused` names one tensor [2·hidden, width] that holds gate and up, in even and odd rows where `interleaved`;
    `learned` the activation's own scalars.
    `clamp` and `sparsity` add no weights and say what else is done to the hidden units: they are bounded, and of the
    gates only the largest ones pass, a share of about 1 − `sparsity`.
    """

    slot = "ffn"
    gated = True

    width: int
    hidden: int
    activation: str = "silu"
    bias: bool = False
    down_bias: bool | None = None  # None: as bias
    role: Role = Role.DENSE
    gate: str = "gate_proj"
    up: str = "up_proj"
    down: str = "down_proj"
    fused: str = ""
    interleaved: bool = False
    learned: tuple[str, ...] = ()
    clamp: Clamp | None = None
    sparsity: float = 0.0

    def tensors(self) -> tuple[Tensor, ...]:
        down_bias = self.bias if self.down_bias is None else self.down_bias
        down = (
            *linear(self.down, self.hidden, self.width, self.role, bias=down_bias),
            *scalars(self.learned, self.role),
        )
        if self.fused:
            return (*linear(self.fused, self.width, 2 * self.hidden, self.role, bias=self.bias), *down)
        gate = linear(self.gate, self.width, self.hidden, self.role, bias=self.bias)
        return (*gate, *linear(self.up, self.width, self.hidden, self.role, bias=self.bias), *down)

    def describe(self) -> str:
        return "shared" if self.role is Role.SHARED else "dense"


@record(frozen=True, kw_only=True)
class FFN(Component):
    """down(act(up(x))) (arXiv:1706.03762): 2 × width × hidden weights; `learned` as in `GatedFFN`.

    `groups`: both maps are convolutions over single positions, whose output channels read the inputs of their group.
    """

    slot = "ffn"
    gated = False

    width: int
    hidden: int
    activation: str = "gelu"
    bias: bool = False
    role: Role = Role.DENSE
    up: str = "up_proj"
    down: str = "down_proj"
    transposed: bool = False
    learned: tuple[str, ...] = ()
    groups: tuple[int, int] | None = None

    def tensors(self) -> tuple[Tensor, ...]:
        if self.groups:
            return (
                *grouped(self.up, self.width, self.hidden, self.groups[0], self.role),
                *grouped(self.down, self.hidden, self.width, self.groups[1], self.role),
            )
        up = linear(self.up, self.width, self.hidden, self.role, bias=self.bias, transposed=self.transposed)
        down = linear(self.down, self.hidden, self.width, self.role, bias=self.bias, transposed=self.transposed)
        return (*up, *down, *scalars(self.learned, self.role))

    def describe(self) -> str:
        return "shared" if self.role is Role.SHARED else "dense"


def fc1_fc2(name: str, width: int, hidden: int, activation: str) -> FFN:
    """fc2(act(fc1(x))), with biases: the FFN of most encoders and towers."""
    return FFN(name, width=width, hidden=hidden, activation=activation, bias=True, up="fc1", down="fc2")


def grouped(name: str, width: int, out: int, groups: int, role: Role) -> tuple[Tensor, ...]:
    """A convolution over single positions: weight [out, width / groups, 1] and bias [out]."""
    return Tensor(f"{name}.weight", (out, width // groups, 1), role), vector(f"{name}.bias", out, role)


def scalars(names: tuple[str, ...], role: Role) -> tuple[Tensor, ...]:
    """Learned scalars, stored as vectors [1]."""
    return tuple(vector(name, 1, role) for name in names)
