"""The audio tower of Phi-4-multimodal: convolutions that shorten the sound, then Conformer layers.

A layer is half an FFN, attention, a convolution module and half an FFN (arXiv:2005.08100).
Source: arXiv:2503.01743, transformers models/phi4_multimodal.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import attention, encoder_tower, norms
from ffncalc.components.attention import SEPARATE
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Array, Convolution
from ffncalc.errors import ConfigError
from ffncalc.formula import call
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.schema import BaseConfig, Depth, Few, Size


class Config(BaseConfig):
    hidden_size: Size
    intermediate_size: Size
    num_blocks: Depth
    num_attention_heads: Size
    activation: str = "swish"
    ext_pw_out_channel: Size = 1024
    depthwise_separable_out_channel: Size = 1024
    depthwise_multiplier: Few = 1
    kernel_size: Size = 3
    input_size: Size = 80
    time_reduction: Size = 8
    bias_max_distance: Size = 1000
    bias_symmetric: bool = False
    nemo_conv_channels: Size = 1024
    downsample_rate: Size = 1


def build(c: Config) -> Model:
    divided(c, "hidden_size", "num_attention_heads")
    layer = (
        *feed_forward(c, "feed_forward_in"),
        attention("self_attn", c.hidden_size, c.num_attention_heads, SEPARATE),
        *convolution(c),
        *feed_forward(c, "feed_forward_out"),
        *norms(c.hidden_size, "layer_norm_att", "layer_norm"),
    )
    buckets = c.bias_max_distance if c.bias_symmetric else 2 * c.bias_max_distance
    bias = Embedding(
        "relative_attention_bias_layer.bias_values", rows=buckets, width=c.num_attention_heads, role=Role.ATTENTION
    )
    return encoder_tower(
        c, c.hidden_size, c.num_blocks, lambda i: layer, before=(*shortened(c), bias), stack="encoders"
    )


def shortened(c: Config) -> tuple[Component, ...]:
    """One convolution for each halving, all but the first in two steps: over space, then over channels.

    Raises:
        ConfigError: time_reduction is no power of two from 2 on.
    """
    reduction, channels, name = int(c.time_reduction), c.nemo_conv_channels, "embed.conv"
    if reduction < 2 or reduction & (reduction - 1):
        raise ConfigError(f"{c.key('time_reduction')}: must be a power of two and at least 2, got {reduction}")
    steps = [
        part
        for i in range(2, 3 * reduction.bit_length() - 4, 3)
        for part in (
            Convolution(f"{name}.{i}", channels=1, out=channels, kernel=(3, 3), bias=True),
            Convolution(f"{name}.{i + 1}", channels=channels, out=channels, kernel=(1, 1), bias=True),
        )
    ]
    bins = call("ceil", -(-int(c.input_size) // reduction), c.input_size // c.time_reduction)
    return (
        Convolution(f"{name}.0", channels=1, out=channels, kernel=(3, 3), bias=True),
        *steps,
        Linear("embed.out", width=channels * bins, out=c.hidden_size, role=Role.OTHER, bias=True),
    )


def feed_forward(c: Config, name: str) -> tuple[Component, ...]:
    ffn = GatedFFN(
        name,
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.activation,
        bias=True,
        fused="gate_up_proj",
    )
    return ffn, *norms(c.hidden_size, f"{name}.layer_norm")


def convolution(c: Config) -> tuple[Component, ...]:
    """A gated map of each position, a depthwise convolution with a map after it, and a last map."""
    width, gated, role = c.hidden_size, c.ext_pw_out_channel, Role.MIXER
    wide, apart = width * c.depthwise_multiplier, c.depthwise_separable_out_channel
    return (
        *norms(width, "conv.layer_norm"),
        *(Array(f"conv.glu.{name}", shape=(1, gated, 1), role=role, use=Use.ELEMENTWISE) for name in ("b1", "b2")),
        pointwise("conv.glu.ext_pw_conv_1d", width, 2 * gated),
        Convolution("conv.dw_sep_conv_1d.dw_conv", channels=1, out=wide, kernel=(c.kernel_size,), bias=True, role=role),
        pointwise("conv.dw_sep_conv_1d.pw_conv", wide, apart),
        pointwise("conv.ext_pw_conv_1d", width, gated),
    )


def pointwise(name: str, width: int, out: int) -> Convolution:
    return Convolution(name, channels=width, out=out, kernel=(1,), bias=True, role=Role.MIXER)
