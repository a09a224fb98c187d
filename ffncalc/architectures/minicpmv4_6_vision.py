"""The vision tower of MiniCPM-V 4.6: SigLIP's, and a merger of patches among its layers.

The merger attends within windows, then lays the patches of a window side by side and maps them to one.

Source: transformers models/minicpmv4_6.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import vit
from ffncalc.architectures._tower import attention, norms, pair
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.ir import Block, Model, Role
from ffncalc.schema import Size


class Config(vit.Config):
    window_kernel_size: list[Size] = [2, 2]


def build(c: Config) -> Model:
    tower = vit.model(c, vit.Row())
    return replace(tower, blocks=(*tower.blocks, merger(c)))


def merger(c: Config) -> Block:
    width = c.hidden_size
    down, across = pair(c.window_kernel_size)
    side, hidden = width * down * across, c.intermediate_size * down * across
    return Block(
        "vit_merger",
        (
            attention("self_attn", width, c.num_attention_heads, Projections(o="out_proj")),
            *norms(width, "layer_norm1"),
            *norms(side, "pre_norm"),
            Linear("linear_1", width=side, out=hidden, role=Role.OTHER, bias=True),
            Linear("linear_2", width=hidden, out=width, role=Role.OTHER, bias=True),
        ),
        causal=False,
    )
