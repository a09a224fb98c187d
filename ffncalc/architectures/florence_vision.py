"""Florence-2's vision tower, DaViT: in each block attention among positions of a window, then among channels.

Each stage shrinks the image by a convolution with a norm before or after it.

Source: arXiv:2204.03645 (DaViT), arXiv:2311.06242; transformers models/florence2.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._tower import attention, norms
from ffncalc.components.attention import Projections
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Convolution
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import BaseConfig, Depth, Ratio, Size


class Config(BaseConfig):
    in_channels: Size = 3
    depths: list[Depth]
    patch_size: list[Size]
    patch_prenorm: list[bool]
    embed_dim: list[Size]
    num_heads: list[Size]
    num_groups: list[Size]
    mlp_ratio: Ratio = 4.0
    qkv_bias: bool = True
    activation_function: str = "gelu"
    projection_dim: Size = 1024  # this and the next are for the projector
    max_position_embeddings: Size = 50


PER_STAGE = ("depths", "patch_size", "patch_prenorm", "num_heads", "num_groups")


def build(c: Config) -> Model:
    """The tower.

    Raises:
        ConfigError: a list has not one entry per stage.
    """
    count = len(c.embed_dim)
    if not count:
        raise ConfigError(f"{c.key('embed_dim')}: names no stage")
    for field in PER_STAGE:
        if (found := len(getattr(c, field))) != count:
            raise ConfigError(f"{c.key(field)}: has {found} entries, but {c.key('embed_dim')} has {count}")
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.embed_dim[-1],
        blocks=tuple(block for i in range(count) for block in stage(c, i)),
    )


def stage(c: Config, i: int) -> tuple[Block, ...]:
    width = c.embed_dim[i]
    channels = c.embed_dim[i - 1] if i else c.in_channels
    kernel = (c.patch_size[i], c.patch_size[i])
    shrink = (
        Convolution("conv", channels=channels, out=width, kernel=kernel, bias=True),
        *norms(channels if c.patch_prenorm[i] else width, "norm"),
    )
    parts = (
        *half(c, width, "spatial_block", "window_attn", c.num_heads[i]),
        *half(c, width, "channel_block", "channel_attn", c.num_groups[i]),
    )
    return (
        Block(f"convs.{i}", shrink, causal=False),
        *layers(f"blocks.{i}.{{}}", c.depths[i], lambda _: parts, causal=False),
    )


def half(c: Config, width: int, name: str, attends: str, heads: int) -> tuple[Component, ...]:
    """Attention and FFN, a depthwise convolution before each."""
    attn = attention(f"{name}.{attends}", width, heads, Projections(fused="qkv", o="proj"), bias=c.qkv_bias)
    ffn = fc1_fc2(f"{name}.ffn", width, int(width * c.mlp_ratio), c.activation_function)
    depthwise = Convolution("", channels=1, out=width, kernel=(3, 3), bias=True)
    return (
        *(replace(depthwise, name=f"{name}.conv{i}") for i in (1, 2)),
        *norms(width, f"{name}.norm1", f"{name}.norm2"),
        attn,
        ffn,
    )
