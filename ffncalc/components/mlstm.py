"""The mLSTM of xLSTM: a matrix memory with exponential gates."""

from __future__ import annotations

from ffncalc.components.linear import linear
from ffncalc.components.norm import norm
from ffncalc.components.recurrence import recurrence, state
from ffncalc.ir import Cache, Component, Mixing, Role, Tensor
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class MLSTM(Component):
    """mLSTM (arXiv:2405.04517): for each head a memory C [value_dim, key_dim] and a normaliser n [key_dim].

    C ← f C + i v kᵀ, n ← f n + i k, h = C q / max(|nᵀ q|, 1): three products per element of both (decay, write,
    readout). Weights, `keys` and `values` the widths of all heads together: q and k [keys, width], v and ogate_preact
    [values, width], igate_preact and fgate_preact [heads, width] with biases, or where `fused` qkv_opreact
    [2·keys + 2·values, width] and ifgate_preact [2·heads, width]; multihead_norm [values]; out_proj [width, values].
    The cache holds C, n and the running maximum of the gates.
    """

    slot = "mixer"

    width: int
    heads: int
    keys: int
    values: int
    bias: bool = False
    fused: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        rows = {"q": self.keys, "k": self.keys, "v": self.values, "ogate_preact": self.values}
        gates = {"igate_preact": self.heads, "fgate_preact": self.heads}
        if self.fused:
            rows, gates = {"qkv_opreact": 2 * self.keys + 2 * self.values}, {"ifgate_preact": 2 * self.heads}
        role = Role.MIXER
        return (
            *(t for name, out in rows.items() for t in linear(name, self.width, out, role, bias=self.bias)),
            *(t for name, out in gates.items() for t in linear(name, self.width, out, role, bias=True)),
            *norm("multihead_norm", self.values, bias=self.bias),
            *linear("out_proj", self.values, self.width, role, bias=self.bias),
        )

    @property
    def elements(self) -> int:
        """Elements of C and n of all heads."""
        return self.keys * (self.values // self.heads) + self.keys

    def mixing(self) -> tuple[Mixing, ...]:
        return (recurrence(self.elements, 3, "arXiv:2405.04517, the mLSTM in recurrent form"),)

    def cache(self) -> tuple[Cache, ...]:
        return (state(self.elements + self.heads),)

    def describe(self) -> str:
        return "mlstm"
