"""What a model is made of: tensors, components, blocks of equal layers.

A component states its tensors and its mixing; parameters, active parameters, FLOPs, caches and derivations
all follow from these, so nobody writes a total by hand.
"""

from ffncalc.ir.mixing import FULL, Cache, Mixing, Span
from ffncalc.ir.model import Block, Component, Model, layers, renamed, walk
from ffncalc.ir.tensor import CATEGORIES, Role, Stream, Tensor, Use

__all__ = [
    "CATEGORIES",
    "FULL",
    "Block",
    "Cache",
    "Component",
    "Mixing",
    "Model",
    "Role",
    "Span",
    "Stream",
    "Tensor",
    "Use",
    "layers",
    "renamed",
    "walk",
]
