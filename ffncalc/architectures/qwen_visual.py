"""The tower of Qwen-VL: an OpenCLIP ViT whose patches a resampler of learned queries gathers.

Source: arXiv:2308.12966; visual.py of Qwen/Qwen-VL.
"""

from __future__ import annotations

from math import isqrt

from ffncalc.architectures._tower import attention, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.errors import ConfigError
from ffncalc.formula import Num
from ffncalc.ir import Block, Component, Role, Stream, Use, layers
from ffncalc.schema import BaseConfig, Depth, Size

POSITIONS = 256  # rows of the position table, stretched to the image


class VisualConfig(BaseConfig):
    """The `visual` object of a Qwen-VL config."""

    width: Size
    layers: Depth
    heads: Size
    mlp_ratio: float
    patch_size: Size
    output_dim: Size
    n_queries: Size = 256


def blocks(c: VisualConfig, prefix: str) -> tuple[Block, ...]:
    """The blocks of the tower under `prefix`.

    Raises:
        ConfigError: the heads do not divide the width, or mlp_ratio is no size.
    """
    if c.width % c.heads:
        raise ConfigError(f"visual.width: {c.width} is not divisible by visual.heads {c.heads}")
    if not 0 < c.mlp_ratio <= 1000:
        raise ConfigError(f"visual.mlp_ratio: must be positive and at most 1000, got {c.mlp_ratio}")
    hidden = Num(int(int(c.width) * c.mlp_ratio), op=f"times[{c.mlp_ratio:g}]", args=(c.width,))
    layer: tuple[Component, ...] = (
        attention("attn", c.width, c.heads, Projections(fused="in_proj", o="out_proj")),
        FFN("mlp", width=c.width, hidden=hidden, bias=True, up="c_fc", down="c_proj"),
        *norms(c.width, "ln_1", "ln_2"),
    )
    before = (
        Convolution("conv1", channels=3, out=c.width, kernel=(c.patch_size, c.patch_size)),
        Array("positional_embedding", shape=(POSITIONS, c.width)),
        *norms(c.width, "ln_pre"),
    )
    after = (
        *norms(c.output_dim, "ln_post"),
        Array("proj", shape=(c.output_dim, c.output_dim), use=Use.MATMUL),
    )
    media, queries = Stream.MEDIA, isqrt(c.n_queries) ** 2
    return (
        Block(prefix, before, stream=media, causal=False),
        *layers(f"{prefix}.transformer.resblocks.{{}}", c.layers, lambda i: layer, stream=media, causal=False),
        Block(f"{prefix}.attn_pool", resampler(c, queries), stream=media, causal=False),
        Block(prefix, after, stream=media, causal=False),
    )


def resampler(c: VisualConfig, queries: int) -> tuple[Component, ...]:
    """Learned queries that attend the patches; its `attn` is torch's MultiheadAttention."""
    width = c.output_dim
    inside = () if width == c.width else (Linear("kv_proj", width=c.width, out=width, role=Role.OTHER),)
    return (
        Array("pos_embed", shape=(queries, width)),
        Array("query", shape=(queries, width)),
        *inside,
        Array("attn.in_proj_weight", shape=(3 * width, width), use=Use.MATMUL),
        Array("attn.in_proj_bias", shape=(3 * width,), use=Use.ELEMENTWISE),
        Linear("attn.out_proj", width=width, out=width, role=Role.OTHER, bias=True),
        *norms(width, "ln_q", "ln_kv"),
    )
