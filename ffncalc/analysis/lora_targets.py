"""Which matrices of a model get adapters: groups of them, or names as PEFT takes them."""

from __future__ import annotations

import re

from ffncalc.errors import UsageError, nearest, shown
from ffncalc.ir import Block, Component, Role, Tensor, Use

GROUPS = {
    "ffn": (Role.DENSE, Role.SHARED),
    "attention": (Role.ATTENTION, Role.CROSS_ATTENTION, Role.INDEXER),
    "all": (Role.DENSE, Role.SHARED, Role.ATTENTION, Role.CROSS_ATTENTION, Role.INDEXER, Role.MIXER),
}
# PEFT refuses to adapt this module of these types: their kernels read its weight past the adapter.
REFUSED = {"out_proj": ("falcon_h1", "falcon_mamba", "mamba", "mamba2", "nemotron_h")}
PLACE = re.compile(r"\{(layer)?\}")  # where the number of a layer or of an expert stands

Place = tuple[Block, Component, Tensor]


def is_matrix(place: Place) -> bool:
    """Whether PEFT can adapt a tensor: the weight of a linear map or of an embedding, or stacked experts."""
    _, part, tensor = place
    if len(tensor.shape) != 2 or (tensor.tied and tensor.role is not Role.HEAD):
        return False
    if is_stacked(tensor):
        return tensor.use is Use.MATMUL
    return f"{part.name}.{tensor.name}".endswith(".weight") and tensor.use is not Use.ELEMENTWISE


def is_stacked(tensor: Tensor) -> bool:
    """Whether a tensor holds all experts, so that none of them is a module."""
    return tensor.stacked or tensor.joined


def picked(places: list[Place], names: tuple[str, ...], experts: bool, refused: list[str]) -> set[int]:
    """The indexes of the places that the names mean.

    Raises:
        UsageError: a name that is no group fits none.
    """
    found: set[int] = set()
    for name in names:
        if name in GROUPS:
            hits = [i for i, place in enumerate(places) if _belongs(place, name, experts, refused)]
        else:
            hits = [i for i, place in enumerate(places) if _ends(path(place), name)]
            if not hits:
                near = nearest(name, [*GROUPS, *_leaves(places)])
                hint = f"Did you mean {' or '.join(near)}?" if near else possible(places, refused)
                raise UsageError(f"no matrix of this model is called {shown(name)}", hint)
        found.update(hits)
    return found


def _belongs(place: Place, group: str, experts: bool, refused: list[str]) -> bool:
    """Whether a matrix is one of a group, and PEFT takes it."""
    block, _, tensor = place
    roles = {*GROUPS[group], *((Role.ROUTED,) if experts and group != "attention" else ())}
    return (
        block.role(tensor) in roles
        and tensor.use is Use.MATMUL
        and not any(_ends(path(place), name) for name in refused)
    )


def _leaves(places: list[Place]) -> dict[str, None]:
    """The last words of all paths, each once."""
    return dict.fromkeys(tail(path(place)).rpartition(".")[2] for place in places)


def possible(places: list[Place], refused: list[str]) -> str:
    """What can be named in this model."""
    groups = [name for name in GROUPS if any(_belongs(place, name, False, refused) for place in places)]
    leaves = list(_leaves(places))
    more = ", …" if len(leaves) > 8 else ""
    return f"There are {', '.join((*groups, *leaves[:8]))}{more}."


def path(place: Place) -> str:
    """The path of a module, as PEFT sees it; of the tensor itself where it is stacked."""
    block, part, tensor = place
    return block.named(part, tensor).removesuffix(".weight")


def _ends(path: str, name: str) -> bool:
    """Whether PEFT takes a module for a name."""
    return path == name or path.endswith(f".{name}")


def tail(path: str) -> str:
    """The end of a path after the last number in it."""
    return PLACE.split(path)[-1].removeprefix(".") or path
