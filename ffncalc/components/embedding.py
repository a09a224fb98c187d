"""Lookup tables, output heads, and projections that stand alone."""

from __future__ import annotations

from dataclasses import replace

from ffncalc.components.linear import linear, vector
from ffncalc.ir import Component, Role, Tensor, Use
from ffncalc.record import record


@record(frozen=True, kw_only=True)
class Embedding(Component):
    """A table [rows, width] of which a token reads one row; `tied` names the table whose storage it shares."""

    rows: int
    width: int
    role: Role = Role.TOKEN
    tied: str = ""

    def tensors(self) -> tuple[Tensor, ...]:
        return (Tensor("weight", (self.rows, self.width), self.role, use=Use.LOOKUP, tied=self.tied),)


@record(frozen=True, kw_only=True)
class Linear(Component):
    """A projection [out, width] on its own: output head, projector, pooler, classifier.

    `tied` names the tensor whose storage the weight shares (an output head on the token embedding), `tied_bias` that
    of the bias. `once`: it runs once for a whole text, not for each token.
    """

    width: int
    out: int
    role: Role = Role.HEAD
    bias: bool = False
    tied: str = ""
    tied_bias: str = ""
    once: bool = False

    def tensors(self) -> tuple[Tensor, ...]:
        found = linear("", self.width, self.out, self.role, bias=self.bias, tied=self.tied, tied_bias=self.tied_bias)
        return (replace(found[0], use=Use.SEQUENCE), *found[1:]) if self.once else found


@record(frozen=True, kw_only=True)
class Vector(Component):
    """A learned vector [width] that is the module itself: a bias, a gain, a class token; `tied` as in `Embedding`."""

    width: int
    role: Role
    tied: str = ""

    def tensors(self) -> tuple[Tensor, ...]:
        return (vector("", self.width, self.role, tied=self.tied),)


@record(frozen=True, kw_only=True)
class StoredBias(Component):
    """A bias [1, width] of the logits that is stored as a buffer: no parameter in the library's sense."""

    width: int

    def tensors(self) -> tuple[Tensor, ...]:
        return ()

    def buffers(self) -> tuple[Tensor, ...]:
        return (Tensor("", (1, self.width), Role.HEAD, use=Use.ELEMENTWISE),)
