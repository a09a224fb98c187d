"""The image and video tokenizer of Emu3: convolutions that shrink frames to codes of a book, and others that draw them.

As in Janus' tokenizer, with attention at chosen resolutions, convolutions over time, and norms of the decoder whose
scale and shift are convolutions of the codes.
Source: arXiv:2409.18869, arXiv:2209.09002 (MoVQ); transformers models/emu3.
"""

from __future__ import annotations

from collections.abc import Callable

from ffncalc.architectures._tower import norms
from ffncalc.architectures.janus_vqgan import convolution
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.media import Convolution
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import BaseConfig, Count, Few, Size

Normed = Callable[[str, int], tuple[Component, ...]]  # (name, width)


class Config(BaseConfig):
    codebook_size: Size
    embed_dim: Size
    latent_channels: Size
    double_latent: bool = False
    in_channels: Size = 3
    out_channels: Size = 3
    temporal_downsample_factor: Size = 4
    base_channels: Size
    channel_multiplier: list[Size]
    num_res_blocks: Few = 2
    attn_resolutions: list[Count] = [3]
    hidden_size: Size = 1024


def build(c: Config) -> Model:
    parts = (
        *encoder(c),
        Embedding("quantize.embedding", rows=c.codebook_size, width=c.embed_dim),
        over_time("quant_conv", c.latent_channels, c.embed_dim, (3, 1, 1)),
        over_time("post_quant_conv", c.embed_dim, c.latent_channels, (3, 1, 1)),
        *decoder(c),
    )
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.embed_dim,
        blocks=(Block("", parts, causal=False),),
    )


def plain(name: str, width: int) -> tuple[Component, ...]:
    return norms(width, name)


def encoder(c: Config) -> tuple[Component, ...]:
    width, last = c.base_channels, len(c.channel_multiplier) - 1
    parts = [convolution("encoder.conv_in", c.in_channels, width)]
    for i, multiplier in enumerate(c.channel_multiplier):
        name, out = f"encoder.down_block.down.{i}", c.base_channels * multiplier
        parts += level(c, name, width, out, c.num_res_blocks, plain, attends=i in c.attn_resolutions)
        if i != last:
            parts.append(convolution(f"{name}.downsample.conv", out, out))
        width = out
    latent = 2 * c.latent_channels if c.double_latent else c.latent_channels
    return (
        *parts,
        *middle(c, "encoder.middle_block", width, plain),
        *plain("encoder.norm_out", width),
        convolution("encoder.conv_out", width, latent),
        *timed(c, "encoder", latent, (4, 3, 3)),
    )


def decoder(c: Config) -> tuple[Component, ...]:
    def spatial(name: str, width: int) -> tuple[Component, ...]:
        scale, shift = (convolution(f"{name}.{conv}", c.embed_dim, width, 1) for conv in ("conv_y", "conv_b"))
        return (*norms(width, f"{name}.norm_layer"), scale, shift)

    width = c.base_channels * c.channel_multiplier[-1]
    parts = [
        *timed(c, "decoder", c.latent_channels, (3, 3, 3)),
        convolution("decoder.conv_in", c.latent_channels, width),
        *middle(c, "decoder.middle_block", width, spatial),
    ]
    for i, multiplier in reversed(list(enumerate(c.channel_multiplier))):
        name, out = f"decoder.up_block.up.{i}", c.base_channels * multiplier
        parts += level(c, name, width, out, c.num_res_blocks + 1, spatial, attends=i in c.attn_resolutions)
        if i:
            parts.append(convolution(f"{name}.upsample.conv", out, out))
        width = out
    return (*parts, *spatial("decoder.norm_out", width), convolution("decoder.conv_out", width, c.out_channels))


def timed(c: Config, side: str, width: int, kernel: tuple[int, int, int]) -> tuple[Component, ...]:
    """Convolutions over time: one for each halving of the frames, and residual blocks of two.

    Raises:
        ConfigError: temporal_downsample_factor is no power of two.
    """
    factor = int(c.temporal_downsample_factor)
    if factor & (factor - 1):
        raise ConfigError(f"{c.key('temporal_downsample_factor')}: must be a power of two, got {factor}")
    return (
        *(over_time(f"{side}.time_conv.{i}.conv", width, width, kernel) for i in range(factor.bit_length() - 1)),
        *(
            part
            for i in range(c.num_res_blocks)
            for j in (1, 2)
            for part in (
                *norms(width, f"{side}.time_res_stack.{i}.norm{j}"),
                over_time(f"{side}.time_res_stack.{i}.conv{j}", width, width, (3, 3, 3)),
            )
        ),
    )


def level(c: Config, name: str, width: int, out: int, count: int, normed: Normed, *, attends: bool) -> list[Component]:
    """The residual blocks at one resolution, each followed by attention where it `attends`."""
    parts: list[Component] = []
    for i in range(count):
        parts += residual(f"{name}.block.{i}", out if i else width, out, normed)
        parts += (*normed(f"{name}.attn_norms.{i}", out), *attention(c, f"{name}.attn.{i}")) if attends else ()
    return parts


def middle(c: Config, name: str, width: int, normed: Normed) -> tuple[Component, ...]:
    return (
        *residual(f"{name}.block_1", width, width, normed),
        *normed(f"{name}.attn_norm", width),
        *attention(c, f"{name}.attn_1"),
        *residual(f"{name}.block_2", width, width, normed),
    )


def residual(name: str, width: int, out: int, normed: Normed) -> tuple[Component, ...]:
    return (
        *normed(f"{name}.norm1", width),
        convolution(f"{name}.conv1", width, out),
        *normed(f"{name}.norm2", out),
        convolution(f"{name}.conv2", out, out),
        *((convolution(f"{name}.nin_shortcut", width, out, 1),) if width != out else ()),
    )


def attention(c: Config, name: str) -> tuple[Component, ...]:
    width = c.hidden_size
    maps = ("q_proj", "k_proj", "v_proj", "out_proj")
    return tuple(Linear(f"{name}.{x}", width=width, out=width, role=Role.ATTENTION, bias=True) for x in maps)


def over_time(name: str, width: int, out: int, kernel: tuple[int, int, int]) -> Convolution:
    return Convolution(f"{name}.conv", channels=width, out=out, kernel=kernel, bias=True)
