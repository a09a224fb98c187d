"""Gemma 4's audio tower: two convolutions over the spectrogram, then Conformer layers with chunked attention.

Source: arXiv:2303.01037 (Universal Speech Model), transformers models/gemma4.
"""

from __future__ import annotations

from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.architectures.gemma4_vision import LIMITS
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Buffers, Convolution
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Role, Span
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    hidden_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    hidden_act: str = "silu"
    subsampling_conv_channels: list[Size] = [128, 32]
    conv_kernel_size: Size = 5
    attention_chunk_size: Size = 12
    use_clipped_linears: bool = True
    output_proj_dims: Size = 1536


def build(c: Config) -> Model:
    layer = (
        attention(c),
        *feed_forward(c, "feed_forward1"),
        *feed_forward(c, "feed_forward2"),
        *convolution(c),
        *norms(c.hidden_size, "norm_pre_attn", "norm_post_attn", "norm_out", bias=False),
        *(clips() if c.use_clipped_linears else ()),
    )
    return encoder_tower(
        c,
        c.output_proj_dims,
        c.num_hidden_layers,
        lambda i: layer,
        before=subsampling(c),
        stack="layers",
        after=(Linear("output_proj", width=c.hidden_size, out=c.output_proj_dims, role=Role.OTHER, bias=True),),
    )


def subsampling(c: Config) -> tuple[Component, ...]:
    if len(c.subsampling_conv_channels) != 2:
        raise ConfigError(f"{c.key('subsampling_conv_channels')}: must have two entries")
    first, second = c.subsampling_conv_channels
    name = "subsample_conv_projection"
    return (
        Convolution(f"{name}.layer0.conv", channels=1, out=first, kernel=(3, 3)),
        Norm(f"{name}.layer0.norm", width=first),
        Convolution(f"{name}.layer1.conv", channels=first, out=second, kernel=(3, 3)),
        Norm(f"{name}.layer1.norm", width=second),
        Linear(f"{name}.input_proj_linear", width=first // 4 * second, out=c.hidden_size, role=Role.OTHER),
    )


def attention(c: Config) -> Attention:
    width, heads = c.hidden_size, c.num_attention_heads
    return Attention(
        "self_attn",
        width=width,
        heads=heads,
        kv_heads=heads,
        head_dim=width // heads,
        out=width,
        span=Span("chunked", c.attention_chunk_size),
        names=Projections(q="q_proj.linear", k="k_proj.linear", v="v_proj.linear", o="post.linear"),
    )


def feed_forward(c: Config, name: str) -> tuple[Component, ...]:
    ffn = FFN(
        name,
        width=c.hidden_size,
        hidden=4 * c.hidden_size,
        activation=c.hidden_act,
        up="ffw_layer_1.linear",
        down="ffw_layer_2.linear",
    )
    return ffn, *norms(c.hidden_size, f"{name}.pre_layer_norm", f"{name}.post_layer_norm", bias=False)


def convolution(c: Config) -> tuple[Component, ...]:
    """The light convolution, and the rotary-free positions and query gains of the attention."""
    width = c.hidden_size
    return (
        Linear("lconv1d.linear_start.linear", width=width, out=2 * width, role=Role.MIXER),
        Linear("lconv1d.linear_end.linear", width=width, out=width, role=Role.MIXER),
        Convolution("lconv1d.depthwise_conv1d", channels=1, out=width, kernel=(c.conv_kernel_size,), role=Role.MIXER),
        *norms(width, "lconv1d.pre_layer_norm", "lconv1d.conv_norm", bias=False),
        Linear("self_attn.relative_k_proj", width=width, out=width, role=Role.ATTENTION),
        Vector("self_attn.per_dim_scale", width=width // c.num_attention_heads, role=Role.ATTENTION),
    )


def clips() -> tuple[Component, ...]:
    """The limits between which the inputs and outputs of each linear map are clipped, stored as buffers."""
    attention = (f"self_attn.{name}" for name in ("q_proj", "k_proj", "v_proj", "post"))
    ffns = (f"feed_forward{i}.ffw_layer_{j}" for i in (1, 2) for j in (1, 2))
    return tuple(
        Buffers(name, vectors=LIMITS, width=1)
        for name in (*attention, *ffns, "lconv1d.linear_start", "lconv1d.linear_end")
    )
