"""The tower of GLM-4V-9B: an EVA-CLIP encoder, patches merged by a convolution, and a gated projector.

Source: arXiv:2408.16500; visual.py of THUDM/glm-4v-9b.
"""

from __future__ import annotations

from ffncalc.architectures._tower import attention, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN, fc1_fc2
from ffncalc.components.media import Array, Convolution
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Role, Stream, layers
from ffncalc.schema import BaseConfig, Depth, Size

MERGED = 2  # patches per side that become one token


class VisionConfig(BaseConfig):
    """The `vision_config` object of a GLM-4V config."""

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_heads: Size
    num_positions: Size
    patch_size: Size
    in_channels: Size = 3
    hidden_act: str = "gelu"


def blocks(c: VisionConfig, prefix: str, *, width: int, hidden: int) -> tuple[Block, ...]:
    """The blocks of the tower under `prefix`, for a language model of `width` and FFN width `hidden`.

    Raises:
        ConfigError: the heads do not divide the width.
    """
    if c.hidden_size % c.num_heads:
        raise ConfigError(
            f"vision_config.hidden_size: {c.hidden_size} is not divisible by vision_config.num_heads {c.num_heads}"
        )
    inner = c.hidden_size
    layer: tuple[Component, ...] = (
        attention("attention", inner, c.num_heads, Projections(fused="query_key_value", o="dense")),
        fc1_fc2("mlp", inner, c.intermediate_size, c.hidden_act),
        *norms(inner, "input_layernorm", "post_attention_layernorm"),
    )
    kernel = (c.patch_size, c.patch_size)
    before = (
        Array("cls_embedding", shape=(1, inner)),
        Convolution("proj", channels=c.in_channels, out=inner, kernel=kernel, bias=True),
        Embedding("position_embedding", rows=c.num_positions, width=inner, role=Role.POSITION),
    )
    projector = (
        Convolution("conv", channels=inner, out=width, kernel=(MERGED, MERGED), bias=True),
        Linear("linear_proj.linear_proj", width=width, out=width, role=Role.OTHER),
        *norms(width, "linear_proj.norm1"),
        GatedFFN("linear_proj", width=width, hidden=hidden, up="dense_h_to_4h", down="dense_4h_to_h"),
        Array("boi", shape=(1, 1, width)),
        Array("eoi", shape=(1, 1, width)),
    )
    media = Stream.MEDIA
    return (
        Block(f"{prefix}.patch_embedding", before, stream=media, causal=False),
        *layers(f"{prefix}.transformer.layers.{{}}", c.num_hidden_layers, lambda i: layer, stream=media, causal=False),
        Block(prefix, projector, stream=media, causal=False),
    )
