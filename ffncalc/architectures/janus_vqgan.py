"""The image tokenizer of Janus: convolutions that shrink an image to codes of a book, and others that draw it.

Residual blocks at each resolution, each with a convolution of its own where the width changes; attention among
positions at the lowest one.

Source: arXiv:2406.06525 (LlamaGen), arXiv:2012.09841 (VQGAN); transformers models/janus.
"""

from __future__ import annotations

from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Embedding
from ffncalc.components.media import Convolution
from ffncalc.ir import Block, Component, Model
from ffncalc.schema import BaseConfig, Depth, Few, Size


class Config(BaseConfig):
    embed_dim: Size
    num_embeddings: Size
    double_latent: bool = False
    latent_channels: Size
    in_channels: Size = 3
    out_channels: Size = 3
    base_channels: Size
    channel_multiplier: list[Size]
    num_res_blocks: Few = 2
    projection_dim: Size = 2048  # of what makes codes of the language model's output, and the reverse
    num_hidden_layers: Depth = 2
    image_token_embed_dim: Size = 2048


def build(c: Config) -> Model:
    parts = (
        *encoder(c),
        Embedding("quantize.embedding", rows=c.num_embeddings, width=c.embed_dim),
        convolution("quant_conv", c.latent_channels, c.embed_dim, 1),
        convolution("post_quant_conv", c.embed_dim, c.latent_channels, 1),
        *decoder(c),
    )
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.embed_dim,
        blocks=(Block("", parts, causal=False),),
    )


def encoder(c: Config) -> tuple[Component, ...]:
    width, last = c.base_channels, len(c.channel_multiplier) - 1
    parts = [convolution("encoder.conv_in", c.in_channels, width)]
    for i, multiplier in enumerate(c.channel_multiplier):
        name, out = f"encoder.down.{i}", c.base_channels * multiplier
        parts += level(name, width, out, c.num_res_blocks, attends=i == last)
        if i != last:
            parts.append(convolution(f"{name}.downsample.conv", out, out))
        width = out
    latent = 2 * c.latent_channels if c.double_latent else c.latent_channels
    return (*parts, *middle("encoder", width), *ending("encoder", width, latent))


def decoder(c: Config) -> tuple[Component, ...]:
    width, last = c.base_channels * c.channel_multiplier[-1], len(c.channel_multiplier) - 1
    parts = [convolution("decoder.conv_in", c.latent_channels, width), *middle("decoder", width)]
    for i, multiplier in enumerate(reversed(c.channel_multiplier)):
        name, out = f"decoder.up.{i}", c.base_channels * multiplier
        parts += level(name, width, out, c.num_res_blocks + 1, attends=i == 0)
        if i != last:
            parts.append(convolution(f"{name}.upsample.conv", out, out))
        width = out
    return (*parts, *ending("decoder", width, c.out_channels))


def level(name: str, width: int, out: int, count: int, *, attends: bool) -> list[Component]:
    """The residual blocks at one resolution, each followed by attention where it `attends`."""
    parts: list[Component] = []
    for i in range(count):
        parts += residual(f"{name}.block.{i}", out if i else width, out)
        parts += attention(f"{name}.attn.{i}", out) if attends else ()
    return parts


def middle(side: str, width: int) -> tuple[Component, ...]:
    name = f"{side}.mid"
    return (
        *residual(f"{name}.block_1", width, width),
        *attention(f"{name}.attn_1", width),
        *residual(f"{name}.block_2", width, width),
    )


def ending(side: str, width: int, out: int) -> tuple[Component, ...]:
    return (*norms(width, f"{side}.norm_out"), convolution(f"{side}.conv_out", width, out))


def residual(name: str, width: int, out: int) -> tuple[Component, ...]:
    return (
        *norms(width, f"{name}.norm1"),
        convolution(f"{name}.conv1", width, out),
        *norms(out, f"{name}.norm2"),
        convolution(f"{name}.conv2", out, out),
        *((convolution(f"{name}.nin_shortcut", width, out, 1),) if width != out else ()),
    )


def attention(name: str, width: int) -> tuple[Component, ...]:
    maps = (convolution(f"{name}.{x}", width, width, 1) for x in ("q", "k", "v", "proj_out"))
    return (*norms(width, f"{name}.norm"), *maps)


def convolution(name: str, width: int, out: int, side: int = 3) -> Component:
    return Convolution(name, channels=width, out=out, kernel=(side, side), bias=True)
