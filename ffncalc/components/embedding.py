"""Lookup tables, output heads, and projections that stand alone."""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.components.linear import linear, vector
from ffncalc.ir import Component, Role, Tensor, Use


@dataclass(frozen=True, kw_only=True)
class Embedding(Component):
    """A table [rows, width] of which a token reads one row; `tied` names the table whose storage it shares."""

    rows: int
    width: int
    role: Role = Role.TOKEN
    tied: str = ""

    def tensors(self) -> tuple[Tensor, ...]:
        return (Tensor("weight", (self.rows, self.width), self.role, use=Use.LOOKUP, tied=self.tied),)


@dataclass(frozen=True, kw_only=True)
class Linear(Component):
    """A projection [out, width] on its own: output head, projector, pooler, classifier.

    `tied` names the tensor whose storage the weight shares (an output head on the token embedding).
    """

    width: int
    out: int
    role: Role = Role.HEAD
    bias: bool = False
    tied: str = ""

    def tensors(self) -> tuple[Tensor, ...]:
        return linear("", self.width, self.out, self.role, bias=self.bias, tied=self.tied)


@dataclass(frozen=True, kw_only=True)
class Vector(Component):
    """A learned vector [width] that is the module itself: a bias, a gain, a class token."""

    width: int
    role: Role

    def tensors(self) -> tuple[Tensor, ...]:
        return (vector("", self.width, self.role),)
