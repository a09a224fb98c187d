"""Mixtures of experts."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ffncalc.components.ffn import FFN, Clamp, GatedFFN
from ffncalc.components.linear import dotted, linear, vector
from ffncalc.errors import ConfigError
from ffncalc.formula import labels
from ffncalc.ir import Component, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class StackedExperts(Component):
    """Gated experts in two stacked tensors without `.weight` in their names (gpt-oss, Llama 4).

    gate_up [experts, width, 2·hidden], down [experts, hidden, width]; `out_first` swaps the last two dimensions;
    `bias` adds [experts, 2·hidden] and [experts, width]. Gate and up are the two halves of the 2·hidden, or its even
    and odd entries where `interleaved`; `clamp` as in `GatedFFN`.
    """

    slot = "ffn"
    gated = True

    width: int
    hidden: int
    activation: str = "silu"
    bias: bool = False
    out_first: bool = False
    gate_up: str = "gate_up_proj"
    down: str = "down_proj"
    interleaved: bool = False
    clamp: Clamp | None = None

    def tensors(self) -> tuple[Tensor, ...]:
        shapes = (self.width, 2 * self.hidden), (self.hidden, self.width)
        flip = not self.out_first
        up_shape, down_shape = ((b, a) for a, b in shapes) if self.out_first else shapes
        gate_up = Tensor(self.gate_up, up_shape, Role.ROUTED, stacked=True, transposed=flip)
        down = Tensor(self.down, down_shape, Role.ROUTED, stacked=True, transposed=flip)
        if not self.bias:
            return gate_up, down
        biases = (
            vector(f"{self.gate_up}_bias", 2 * self.hidden, Role.ROUTED),
            vector(f"{self.down}_bias", self.width, Role.ROUTED),
        )
        return (gate_up, replace(biases[0], stacked=True), down, replace(biases[1], stacked=True))


@record(frozen=True, kw_only=True)
class JoinedExperts(Component):
    """Experts joined row by row in tensors [experts·hidden, width] without `.weight` (DBRX, Nomic).

    `down` is stored like the others, as [hidden, width] of each expert. Gated unless `gate` is "".
    """

    slot = "ffn"

    width: int
    hidden: int
    activation: str = "silu"
    gate: str = "w1"
    up: str = "v1"
    down: str = "w2"

    @property
    def gated(self) -> bool:
        """Whether there is a gate."""
        return bool(self.gate)

    def tensors(self) -> tuple[Tensor, ...]:
        shape = (self.hidden, self.width)
        names = (self.gate, self.up, self.down) if self.gate else (self.up, self.down)
        return tuple(Tensor(name, shape, Role.ROUTED, joined=True) for name in names)


Expert = GatedFFN | FFN | StackedExperts | JoinedExperts


@record(frozen=True, kw_only=True)
class MoE(Component):
    """A router [experts, width] that sends each token to `top_k` of `experts` FFNs, and to all `shared` ones.

    `expert` describes one expert; its name holds `{}` for the expert number where each has its own tensors.
    `shared` is one FFN as wide as all shared experts together; `shared_gate` names its gate [1, width].
    `correction` names the learned balance bias [experts] (arXiv:2408.15664), a buffer or a parameter;
    `scores`: rows of the router where they are not one per expert (product keys, experts that do nothing).
    `correction_rows`: the bias is stored as [rows, experts]. `table`: experts are looked up by token, in a fixed
    table [table, top_k] that is stored as a buffer.
    """

    slot = "ffn"

    width: int
    experts: int
    top_k: int
    expert: Expert
    router: str = "gate"
    scores: int | None = None
    router_bias: bool = False
    shared: GatedFFN | FFN | None = None
    shared_gate: str = ""
    correction: str = ""
    correction_is: Literal["buffer", "parameter"] = "buffer"
    correction_rows: int | None = None
    table: int = 0

    def __post_init__(self) -> None:
        """Raises ConfigError where a token would use more experts than there are, or none."""
        if not 1 <= self.top_k <= self.experts:
            field, other = (labels(number) for number in (self.top_k, self.experts))
            raise ConfigError(
                f"{field[-1] if field else 'experts per token'}: {self.top_k} of {self.experts} experts"
                f"{f' ({other[-1]})' if other else ''} cannot be chosen"
            )

    def tensors(self) -> tuple[Tensor, ...]:
        rows = self.experts if self.scores is None else self.scores
        router = linear(self.router, self.width, rows, Role.ROUTER, bias=self.router_bias)
        correction = self._correction() if self.correction_is == "parameter" else ()
        return (*router, *correction, *self._routed(), *self._shared())

    def buffers(self) -> tuple[Tensor, ...]:
        correction = self._correction() if self.correction_is == "buffer" else ()
        name = dotted(self.router, "tid2eid")
        table = (Tensor(name, (self.table, self.top_k), Role.ROUTER, use=Use.LOOKUP),) if self.table else ()
        return (*correction, *table)

    def _correction(self) -> tuple[Tensor, ...]:
        if not self.correction:
            return ()
        rows = self.experts if self.scores is None else self.scores
        shape = (rows,) if self.correction_rows is None else (self.correction_rows, rows)
        return (Tensor(self.correction, shape, Role.ROUTER, use=Use.ELEMENTWISE),)

    def _routed(self) -> tuple[Tensor, ...]:
        name = self.expert.name
        return tuple(t.moved(name, Role.ROUTED, copies=self.experts, used=self.top_k) for t in self.expert.weights)

    def _shared(self) -> tuple[Tensor, ...]:
        if self.shared is None:
            return ()
        shared = tuple(t.moved(self.shared.name, Role.SHARED) for t in self.shared.weights)
        gate = linear(self.shared_gate, self.width, 1, Role.ROUTER) if self.shared_gate else ()
        return (*shared, *gate)

    def describe(self) -> str:
        return "moe"
