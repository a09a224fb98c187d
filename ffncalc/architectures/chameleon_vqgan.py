"""The image tokenizer of Chameleon: the encoder of a VQGAN as in Janus, with attention at chosen resolutions.

Source: arXiv:2203.13131 (Make-A-Scene), arXiv:2405.09818; transformers models/chameleon.
"""

from __future__ import annotations

from ffncalc.architectures.janus_vqgan import convolution, ending, level, middle
from ffncalc.components.embedding import Embedding
from ffncalc.ir import Block, Component, Model
from ffncalc.schema import BaseConfig, Few, Size


class Config(BaseConfig):
    embed_dim: Size
    num_embeddings: Size
    double_latent: bool = False
    latent_channels: Size
    resolution: Size = 512
    in_channels: Size = 3
    base_channels: Size
    channel_multiplier: list[Size]
    num_res_blocks: Few = 2
    attn_resolutions: list[Size] | None = None
    attn_type: str = "vanilla"


def build(c: Config) -> Model:
    parts = (
        *encoder(c),
        Embedding("quantize.embedding", rows=c.num_embeddings, width=c.embed_dim),
        convolution("quant_conv", c.latent_channels, c.embed_dim, 1),
        convolution("post_quant_conv", c.embed_dim, c.latent_channels, 1),
    )
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.embed_dim,
        blocks=(Block("", parts, causal=False),),
    )


def encoder(c: Config) -> tuple[Component, ...]:
    width, last, attends = c.base_channels, len(c.channel_multiplier) - 1, c.attn_type == "vanilla"
    parts = [convolution("encoder.conv_in", c.in_channels, width)]
    for i, multiplier in enumerate(c.channel_multiplier):
        name, out = f"encoder.down.{i}", c.base_channels * multiplier
        chosen = attends and c.resolution // 2**i in (c.attn_resolutions or ())
        parts += level(name, width, out, c.num_res_blocks, attends=chosen)
        if i != last:
            parts.append(convolution(f"{name}.downsample.conv", out, out))
        width = out
    latent = 2 * c.latent_channels if c.double_latent else c.latent_channels
    between = [part for part in middle("encoder", width) if attends or ".attn_1" not in part.name]
    return (*parts, *between, *ending("encoder", width, latent))
