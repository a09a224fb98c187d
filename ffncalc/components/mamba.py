"""Selective state-space mixers: Mamba, Zamba's Mamba in heads, and Mamba-2."""

from __future__ import annotations

from ffncalc.components.linear import linear, vector
from ffncalc.components.norm import norm
from ffncalc.components.recurrence import recurrence, state
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor, Use
from ffncalc.record import record


def depthwise(name: str, channels: int, kernel: int, *, bias: bool = False) -> tuple[Tensor, ...]:
    """A convolution along time, one filter per channel: weight [channels, 1, kernel], bias [channels]."""
    taps = Tensor(f"{name}.weight", (channels, 1, kernel), Role.MIXER, use=Use.ELEMENTWISE)
    return (taps, vector(f"{name}.bias", channels, Role.MIXER)) if bias else (taps,)


def gains(name: str, *shape: int) -> Tensor:
    """A learned array that is applied element by element: decay rates, step biases, skip gains."""
    return Tensor(name, shape, Role.MIXER, use=Use.ELEMENTWISE)


@record(frozen=True, kw_only=True)
class Mamba(Component):
    """Selective state space (arXiv:2312.00752): each of `inner` channels has a state of `size` elements.

    h ← exp(Δ·A) ⊙ h + (Δ·x) Bᵀ, y = h C + D ⊙ x: three products per state element (decay, write, readout).
    Weights: in_proj [2·inner, width], x_proj [rank + 2·size, inner], dt_proj [inner, rank], out_proj [width, inner],
    A_log [inner, size], D [inner], a depthwise conv1d. `norms`: Δ, B and C are normalised with weights (Jamba).
    """

    slot = "mixer"

    width: int
    inner: int
    size: int
    rank: int
    kernel: int
    bias: bool = False
    conv_bias: bool = True
    norms: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        role = Role.MIXER
        return (
            gains("A_log", self.inner, self.size),
            gains("D", self.inner),
            *depthwise("conv1d", self.inner, self.kernel, bias=self.conv_bias),
            *linear("in_proj", self.width, 2 * self.inner, role, bias=self.bias),
            *linear("x_proj", self.inner, self.rank + 2 * self.size, role),
            *linear("dt_proj", self.rank, self.inner, role, bias=True),
            *linear("out_proj", self.inner, self.width, role, bias=self.bias),
            *(self._norms() if self.norms else ()),
        )

    def _norms(self) -> tuple[Tensor, ...]:
        sizes = (("dt_layernorm", self.rank), ("b_layernorm", self.size), ("c_layernorm", self.size))
        return tuple(tensor for name, size in sizes for tensor in norm(name, size))

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.inner * self.size, 3, "arXiv:2312.00752, algorithm 2"),)

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.inner * self.size, self.inner, self.kernel),)

    def describe(self) -> str:
        return "mamba"


@record(frozen=True, kw_only=True)
class HeadedMamba(Component):
    """Mamba whose selective projections work per head of inner / heads channels (Zamba, arXiv:2405.16712).

    x_proj_weight [heads, rank + 2·size, head_dim], dt_proj_weight [heads, head_dim, rank]; the recurrence is Mamba's.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    size: int
    rank: int
    kernel: int
    bias: bool = False
    conv_bias: bool = True

    def tensors(self) -> tuple[Tensor, ...]:
        heads, dim, inner = self.heads, self.head_dim, self.heads * self.head_dim
        return (
            Tensor("x_proj_weight", (heads, self.rank + 2 * self.size, dim), Role.MIXER),
            Tensor("dt_proj_weight", (heads, dim, self.rank), Role.MIXER),
            gains("dt_proj_bias", heads, dim),
            gains("A_log", heads, dim, self.size),
            gains("D", heads, dim),
            *depthwise("conv1d", inner, self.kernel, bias=self.conv_bias),
            *linear("in_proj", self.width, 2 * inner, Role.MIXER, bias=self.bias),
            *linear("out_proj", inner, self.width, Role.MIXER, bias=self.bias),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.heads * self.head_dim * self.size, 3, "arXiv:2312.00752, algorithm 2"),)

    def cache(self) -> tuple[Cache, ...]:
        inner = self.heads * self.head_dim
        return (state(inner * self.size, inner, self.kernel),)

    def describe(self) -> str:
        return "mamba"


@record(frozen=True, kw_only=True)
class Mamba2(Component):
    """State-space duality (arXiv:2405.21060): one decay per head, a state [head_dim, size] each, B and C per group.

    h ← a·h + (Δ·x) Bᵀ, y = h C + D·x: three products per state element (decay, write, readout).
    Weights: in_proj [2·inner + 2·groups·size + heads, width] for z, x, B, C and Δ; out_proj [width, inner]; a depthwise
    conv1d over x, B and C; A_log, D and dt_bias [heads]; `gated_norm`: a norm [inner] before out_proj.
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    size: int
    groups: int
    kernel: int
    bias: bool = False
    out_bias: bool | None = None  # None: as bias
    conv_bias: bool = True
    gated_norm: bool = True

    @property
    def inner(self) -> int:
        """Channels of all heads."""
        return self.heads * self.head_dim

    @property
    def channels(self) -> int:
        """Channels of the convolution: x, B and C."""
        return self.inner + 2 * self.groups * self.size

    def tensors(self) -> tuple[Tensor, ...]:
        out_bias = self.bias if self.out_bias is None else self.out_bias
        return (
            *(gains(name, self.heads) for name in ("dt_bias", "A_log", "D")),
            *depthwise("conv1d", self.channels, self.kernel, bias=self.conv_bias),
            *linear("in_proj", self.width, self.inner + self.channels + self.heads, Role.MIXER, bias=self.bias),
            *(norm("norm", self.inner) if self.gated_norm else ()),
            *linear("out_proj", self.inner, self.width, Role.MIXER, bias=out_bias),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.inner * self.size, 3, "arXiv:2405.21060, the recurrent form"),)

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.inner * self.size, self.channels, self.kernel),)

    def describe(self) -> str:
        return "mamba2"
