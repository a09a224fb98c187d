"""The form of one FFN: its formula, its matrices, and its reading as a key–value memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

from ffncalc import activations
from ffncalc.activations import Activation
from ffncalc.components.ffn import FFN, Clamp, GatedFFN
from ffncalc.components.moe import Expert, JoinedExperts, StackedExperts


@dataclass(frozen=True, kw_only=True)
class Form:
    """What an FFN computes, apart from its sizes.

    `clamp` and `sparsity` as in `GatedFFN`; `normed`: the hidden units are normed before down; `receptance`: the
    answer is gated once more (RWKV).
    """

    activation: str
    gated: bool
    clamp: Clamp | None = None
    sparsity: float = 0.0
    normed: bool = False
    receptance: bool = False
    bias: bool = False

    @property
    def function(self) -> Activation | None:
        """The activation, None for one whose values are not known; with the slope of the clamp in its sigmoid."""
        if self.clamp is None or self.clamp.slope == 1:
            return activations.find(self.activation)
        slope = self.clamp.slope
        return Activation(
            name=self.activation,
            title=f"SiLU with slope {slope:g}",
            formula=f"x · σ({slope:g} · x)",
            function=activations.swish(slope),
        )

    @property
    def formula(self) -> str:
        """The FFN in words of the field: `down(silu(gate(x)) ⊙ up(x))`."""
        down = f"down(norm({self.hidden}))" if self.normed else f"down({self.hidden})"
        return f"σ(receptance(x)) ⊙ {down}" if self.receptance else down

    @property
    def hidden(self) -> str:
        """What the hidden units hold."""
        gate, up = ("gate(x)", "up(x)") if self.gated else ("up(x)", "")
        if self.clamp:
            limit = f"{self.clamp.limit:g}"
            gate, up = f"min({gate}, {limit})", f"min(max({up}, −{limit}), {limit})"
            up = f"({up} + {self.clamp.shift:g})" if self.clamp.shift else up
        if self.sparsity:
            gate = f"cut({gate})"
        gate = self.acted(gate)
        return f"{gate} ⊙ {up}" if self.gated else gate

    def acted(self, inner: str) -> str:
        """The activation applied to something; the linear one leaves it as it is."""
        if activations.find(self.activation) is activations.KNOWN["linear"]:
            return inner
        return self.called(inner)

    def called(self, inner: str) -> str:
        """The activation applied to something."""
        if self.clamp and self.clamp.slope != 1:
            return f"swish[{self.clamp.slope:g}]({inner})"
        return f"{self.activation}({inner})"

    @property
    def remarks(self) -> Iterator[str]:
        """What the formula needs said besides."""
        if self.clamp and self.clamp.slope != 1:
            yield f"swish[{self.clamp.slope:g}](z) = z · σ({self.clamp.slope:g} · z)"
        if self.sparsity:
            yield (
                f"cut(z) = max(z − c, 0), c = mean + {self.deviations:.4g} standard deviations of z: about "
                f"{100 * (1 - self.sparsity):g} % of the gates pass"
            )

    @property
    def deviations(self) -> float:
        """How many standard deviations above their mean gates must be, to pass."""
        return NormalDist().inv_cdf(self.sparsity)

    def to_dict(self) -> dict[str, object]:
        """The form in JSON."""
        clamp = self.clamp
        return {
            "activation": self.activation,
            "activation_values": self._values(),
            "gated": self.gated,
            "formula": self.formula,
            "clamp": {"limit": clamp.limit, "slope": clamp.slope, "shift": clamp.shift} if clamp else None,
            "sparsity": self.sparsity,
            "inner_norm": self.normed,
            "receptance": self.receptance,
            "bias": self.bias,
        }

    def _values(self) -> dict[str, object] | None:
        function = self.function
        if function is None:
            return None
        at, lowest = function.minimum
        return {
            "formula": function.formula,
            "at_minus_1": function(-1.0),
            "at_0": function(0.0),
            "at_1": function(1.0),
            "minimum": None if lowest == activations.NEVER else lowest,
            "minimum_at": at,
        }


def form(ffn: Expert, *, normed: bool = False, receptance: bool = False) -> Form:
    """The form of a component."""
    return Form(
        activation=ffn.activation,
        gated=ffn.gated,
        clamp=ffn.clamp if isinstance(ffn, GatedFFN | StackedExperts) else None,
        sparsity=ffn.sparsity if isinstance(ffn, GatedFFN) else 0.0,
        normed=normed,
        receptance=receptance,
        bias=not isinstance(ffn, JoinedExperts) and ffn.bias,
    )


@dataclass(frozen=True)
class Slice:
    """A row or column of a stored matrix; `index` is a formula in the number i of the slot."""

    tensor: str
    axis: str
    index: str

    def __str__(self) -> str:
        return f"{self.axis} {self.index} of {self.tensor}"

    def to_dict(self) -> dict[str, str]:
        """The slice in JSON."""
        return {"tensor": self.tensor, "axis": self.axis, "index": self.index}


def parts(ffn: Expert) -> dict[str, str]:
    """Names of an FFN's tensors → which part each is: gate, up, down, gate and up together."""
    if isinstance(ffn, StackedExperts):
        weights = {ffn.gate_up: "gate and up", ffn.down: "down"}
        return weights | {f"{name}_bias": f"{part}, bias" for name, part in weights.items()}
    if isinstance(ffn, JoinedExperts):
        return {name: part for name, part in ((ffn.gate, "gate"), (ffn.up, "up"), (ffn.down, "down")) if name}
    if isinstance(ffn, FFN):
        modules = {ffn.up: "up", ffn.down: "down"}
    elif ffn.fused:
        modules = {ffn.fused: "gate and up", ffn.down: "down"}
    else:
        modules = {ffn.gate: "gate", ffn.up: "up", ffn.down: "down"}
    found = {f"{name}.weight": part for name, part in modules.items()}
    found |= {f"{name}.bias": f"{part}, bias" for name, part in modules.items()}
    return found | dict.fromkeys(ffn.learned, "activation")


def memory(ffn: Expert) -> tuple[tuple[Slice, ...], Slice]:
    """Key and value of slot i in the reading of an FFN as a memory (arXiv:2012.14913).

    The key is what the token is compared with, the value what is added to the answer when they match. A gated FFN
    compares with two vectors. Indexes count from 0.
    """
    h = f"{int(ffn.hidden)}"
    interleaved = isinstance(ffn, GatedFFN | StackedExperts) and ffn.interleaved
    both = ("2·i", "2·i + 1") if interleaved else ("i", f"{h} + i")
    if isinstance(ffn, StackedExperts):
        keys, values = ("row", "column") if ffn.out_first else ("column", "row")
        return tuple(Slice(ffn.gate_up, keys, index) for index in both), Slice(ffn.down, values, "i")
    if isinstance(ffn, JoinedExperts):
        index = f"{h}·e + i"
        return tuple(Slice(name, "row", index) for name in (ffn.gate, ffn.up) if name), Slice(ffn.down, "row", index)
    down = f"{ffn.down}.weight"
    if isinstance(ffn, FFN):
        key, value = ("column", "row") if ffn.transposed else ("row", "column")
        return (Slice(f"{ffn.up}.weight", key, "i"),), Slice(down, value, "i")
    if ffn.fused:
        return tuple(Slice(f"{ffn.fused}.weight", "row", index) for index in both), Slice(down, "column", "i")
    return tuple(Slice(f"{name}.weight", "row", "i") for name in (ffn.gate, ffn.up)), Slice(down, "column", "i")
