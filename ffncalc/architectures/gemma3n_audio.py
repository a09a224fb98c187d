"""Gemma 3n's audio tower: two convolutions over the spectrogram, then Conformer layers with chunked attention.

Source: arXiv:2303.01037 (Universal Speech Model), transformers models/gemma3n.
"""

from __future__ import annotations

from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Role, Span
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    aliases = {
        "num_hidden_layers": ("conf_num_hidden_layers",),
        "num_attention_heads": ("conf_num_attention_heads",),
    }
    hidden_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    vocab_size: Size = 128
    input_feat_size: Size = 128
    conf_attention_chunk_size: Size = 12
    conf_conv_kernel_size: Size = 5
    sscp_conv_channel_size: list[Size] = [128, 32]
    sscp_conv_kernel_size: list[list[Size]] = [[3, 3], [3, 3]]
    sscp_conv_stride_size: list[list[Size]] = [[2, 2], [2, 2]]


def build(c: Config) -> Model:
    layer = (
        *attention(c),
        *feed_forward(c, "ffw_layer_start"),
        *convolution(c),
        *feed_forward(c, "ffw_layer_end"),
        *norms(c.hidden_size, "norm", bias=False),
    )
    return encoder_tower(
        c, c.hidden_size, c.num_hidden_layers, lambda i: layer, before=subsampling(c), stack="conformer"
    )


def subsampling(c: Config) -> tuple[Component, ...]:
    """Two convolutions; what is left of the frequencies times the channels is projected to the width.

    Raises:
        ConfigError: there are not two of each setting, or a kernel is wider than what it is moved over.
    """
    channels, kernels, strides = c.sscp_conv_channel_size, c.sscp_conv_kernel_size, c.sscp_conv_stride_size
    if len(channels) != 2 or [len(pair) for pair in (*kernels, *strides)] != [2] * 4:
        raise ConfigError(f"{c.key('sscp_conv_kernel_size')}: two convolutions of two dimensions are expected")
    parts: list[Component] = []
    frequencies: int = c.input_feat_size
    before = 1
    for i, (out, kernel, stride) in enumerate(zip(channels, kernels, strides, strict=True)):
        name = f"subsample_conv_projection.conv_{i}"
        parts += (
            Convolution(f"{name}.conv", channels=before, out=out, kernel=(kernel[0], kernel[1])),
            Norm(f"{name}.norm", width=out),
        )
        frequencies = (frequencies + 2 - kernel[1]) // stride[1] + 1  # one row of padding on each side
        if frequencies < 1:
            raise ConfigError(f"{c.key('sscp_conv_kernel_size')}: {kernel[1]} is wider than the frequencies it sees")
        before = out
    return (
        *parts,
        Linear(
            "subsample_conv_projection.input_proj_linear",
            width=channels[-1] * frequencies,
            out=c.hidden_size,
            role=Role.OTHER,
        ),
    )


def attention(c: Config) -> tuple[Component, ...]:
    width, heads = c.hidden_size, c.num_attention_heads
    return (
        Attention(
            "attention",
            width=width,
            heads=heads,
            kv_heads=heads,
            head_dim=width // heads,
            span=Span("chunked", c.conf_attention_chunk_size),
            names=Projections(q="attn.q_proj", k="attn.k_proj", v="attn.v_proj", o="post"),
        ),
        Linear(
            "attention.attn.relative_position_embedding.pos_proj",
            width=width,
            out=heads * (width // heads),
            role=Role.ATTENTION,
        ),
        Vector("attention.attn.per_dim_scale", width=width // heads, role=Role.ATTENTION),
        *norms(width, "attention.pre_attn_norm", "attention.post_norm", bias=False),
    )


def feed_forward(c: Config, name: str) -> tuple[Component, ...]:
    width = c.hidden_size
    ffn = FFN(name, width=width, hidden=4 * width, activation="silu", up="ffw_layer_1", down="ffw_layer_2")
    return ffn, *norms(width, f"{name}.pre_layer_norm", f"{name}.post_layer_norm", bias=False)


def convolution(c: Config) -> tuple[Component, ...]:
    width = c.hidden_size
    return (
        Linear("lconv1d.linear_start", width=width, out=2 * width, role=Role.MIXER),
        Convolution(
            "lconv1d.depthwise_conv1d", channels=1, out=width, kernel=(c.conf_conv_kernel_size,), role=Role.MIXER
        ),
        Linear("lconv1d.linear_end", width=width, out=width, role=Role.MIXER),
        *norms(width, "lconv1d.pre_layer_norm", "lconv1d.conv_norm", bias=False),
    )
