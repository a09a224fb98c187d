"""Linear attention with the delta rule: Gated DeltaNet and Kimi Delta Attention."""

from __future__ import annotations

from ffncalc.components.linear import linear, vector
from ffncalc.components.mamba import depthwise, gains
from ffncalc.components.norm import norm
from ffncalc.components.recurrence import recurrence, state
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class GatedDeltaNet(Component):
    """Gated DeltaNet (arXiv:2412.06464): a state [value_dim, key_dim] for each value head.

    S ← α·S (I - β k kᵀ) + β v kᵀ, o = S q: four products per state element (decay, read S k, write, readout).
    Weights, with keys = key_heads·key_dim and values = value_heads·value_dim: in_proj_qkvz [2·keys + 2·values, width]
    and in_proj_ba [2·value_heads, width], or where `split` in_proj_qkv, in_proj_z, in_proj_b and in_proj_a;
    out_proj [width, values]; a depthwise conv1d over q, k and v; A_log and dt_bias [value_heads]; norm [value_dim].
    """

    slot = "mixer"

    width: int
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int
    split: bool = False

    @property
    def channels(self) -> int:
        """Channels of the convolution: q, k and v."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim

    def tensors(self) -> tuple[Tensor, ...]:
        return (
            *(gains(name, self.value_heads) for name in ("dt_bias", "A_log")),
            *depthwise("conv1d", self.channels, self.kernel),
            *self._inputs(self.value_heads * self.value_dim),
            *norm("norm", self.value_dim),
            *linear("out_proj", self.value_heads * self.value_dim, self.width, Role.MIXER),
        )

    def _inputs(self, values: int) -> tuple[Tensor, ...]:
        heads = self.value_heads
        rows = {"qkvz": self.channels + values, "ba": 2 * heads}
        if self.split:
            rows = {"qkv": self.channels, "z": values, "b": heads, "a": heads}
        return tuple(
            tensor for name, out in rows.items() for tensor in linear(f"in_proj_{name}", self.width, out, Role.MIXER)
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (
            recurrence(self.value_heads * self.value_dim * self.key_dim, 4, "arXiv:2412.06464, the gated delta rule"),
        )

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.value_heads * self.value_dim * self.key_dim, self.channels, self.kernel),)

    def describe(self) -> str:
        return "gated deltanet"


@record(frozen=True, kw_only=True)
class SplitDeltaNet(GatedDeltaNet):
    """The same mixer with every projection and convolution apart, as OLMo Hybrid stores it.

    Weights: q_proj and k_proj [keys, width], v_proj and g_proj (output gate) [values, width], a_proj and b_proj
    [value_heads, width], o_proj [width, values]; depthwise q_, k_ and v_conv1d; A_log and dt_bias [value_heads];
    o_norm [value_dim].
    """

    def tensors(self) -> tuple[Tensor, ...]:
        keys, values, heads = self.key_heads * self.key_dim, self.value_heads * self.value_dim, self.value_heads
        convolved = {"q": keys, "k": keys, "v": values}
        rows = {**convolved, "a": heads, "b": heads, "g": values}
        return (
            *(gains(name, heads) for name in ("dt_bias", "A_log")),
            *(t for name, out in rows.items() for t in linear(f"{name}_proj", self.width, out, Role.MIXER)),
            *(t for name, out in convolved.items() for t in depthwise(f"{name}_conv1d", out, self.kernel)),
            *norm("o_norm", self.value_dim),
            *linear("o_proj", values, self.width, Role.MIXER),
        )


@record(frozen=True, kw_only=True)
class KimiDeltaAttention(Component):
    """Kimi Delta Attention (arXiv:2510.26692): a state [head_dim, head_dim] per head, each key channel its own decay.

    S ← (I - β k kᵀ) Diag(α) S + β k vᵀ, o = Sᵀ q: four products per state element (decay, read, write, readout).
    Weights, with inner = heads·head_dim: q, k, v_proj [inner, width], each with a depthwise convolution; o_proj
    [width, inner]; b_proj [heads, width]; f (decay) and g (output gate) in low rank, a [head_dim, width] and
    b [inner, head_dim]; A_log [1, 1, heads, 1], dt_bias [inner]; o_norm [head_dim].
    """

    slot = "mixer"

    width: int
    heads: int
    head_dim: int
    kernel: int

    def tensors(self) -> tuple[Tensor, ...]:
        inner, role = self.heads * self.head_dim, Role.MIXER
        low_rank = tuple(
            tensor
            for gate in ("f", "g")
            for tensor in (
                *linear(f"{gate}_a_proj", self.width, self.head_dim, role),
                *linear(f"{gate}_b_proj", self.head_dim, inner, role),
            )
        )
        return (
            *(t for name in ("q_proj", "k_proj", "v_proj") for t in linear(name, self.width, inner, role)),
            *(t for name in ("q_conv1d", "k_conv1d", "v_conv1d") for t in depthwise(name, inner, self.kernel)),
            *low_rank,
            *linear("b_proj", self.width, self.heads, role),
            gains("A_log", 1, 1, self.heads, 1),
            vector("dt_bias", inner, role),
            *norm("o_norm", self.head_dim),
            *linear("o_proj", inner, self.width, role),
        )

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.heads * self.head_dim * self.head_dim, 4, "arXiv:2510.26692, Kimi Delta Attention"),)

    def cache(self) -> tuple[Cache, ...]:
        inner = self.heads * self.head_dim
        return (state(inner * self.head_dim, 3 * inner, self.kernel),)

    def describe(self) -> str:
        return "kimi delta attention"
