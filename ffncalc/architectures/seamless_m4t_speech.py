"""What SeamlessM4T hears and speaks with: a Conformer with an adapter that shortens its output, and a vocoder.

Sources: arXiv:2308.11596, arXiv:2312.05187, arXiv:2005.08100 (Conformer), arXiv:2010.05646 (HiFi-GAN);
transformers models/{seamless_m4t,seamless_m4t_v2}.
"""

from __future__ import annotations

from ffncalc.architectures._tower import attention, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Role, Stream, Use, layers
from ffncalc.schema import BaseConfig, Count, Depth, Few, Size

NAMES = Projections(q="linear_q", k="linear_k", v="linear_v", o="linear_out")


class SpeechConfig(BaseConfig):
    hidden_size: Size
    speech_encoder_layers: Depth = 24
    speech_encoder_attention_heads: Size = 16
    speech_encoder_intermediate_size: Size = 4096
    speech_encoder_hidden_act: str = "swish"
    feature_projection_input_dim: Size = 160
    add_adapter: bool = True
    adaptor_kernel_size: Size = 8
    num_adapter_layers: Few = 1
    position_embeddings_type: str | None = "relative"
    conv_depthwise_kernel_size: Size = 31
    left_max_position_embeddings: Count = 64
    right_max_position_embeddings: Count = 8
    upsample_initial_channel: Size = 512
    upsample_kernel_sizes: list[Size] = [11, 8, 8, 4, 4]
    resblock_kernel_sizes: list[Size] = [3, 7, 11]
    resblock_dilation_sizes: list[list[Size]] = [[1, 3, 5], [1, 3, 5], [1, 3, 5]]
    unit_hifi_gan_vocab_size: Size = 10000
    unit_embed_dim: Size = 1280
    lang_embed_dim: Size = 256
    spkr_embed_dim: Size = 256
    vocoder_num_langs: Size = 36
    vocoder_num_spkrs: Size = 200
    variance_predictor_kernel_size: Size = 3


def hearing(c: SpeechConfig, name: str) -> tuple[Block, ...]:
    width, features = c.hidden_size, c.feature_projection_input_dim
    before = (
        *norms(features, "feature_projection.layer_norm"),
        Linear("feature_projection.projection", width=features, out=width, role=Role.OTHER, bias=True),
    )
    parts, shorter = layer(c), adapter(c)
    after = (
        *norms(width, "encoder.layer_norm"),
        feed_forward(c, "intermediate_ffn", "relu"),
        *norms(width, "inner_layer_norm"),
    )
    media = Stream.MEDIA
    steps = c.num_adapter_layers if c.add_adapter else 0
    return (
        Block(name, before, stream=media, causal=False),
        *layers(f"{name}.encoder.layers.{{}}", c.speech_encoder_layers, lambda i: parts, stream=media, causal=False),
        Block(name, after, stream=media, causal=False),
        *layers(f"{name}.adapter.layers.{{}}", steps, lambda i: shorter, stream=media, causal=False),
    )


def layer(c: SpeechConfig) -> tuple[Component, ...]:
    """Half an FFN, attention, a convolution module, half an FFN."""
    width = c.hidden_size
    norm = "depthwise_layer_norm" if c.model_type == "seamless_m4t_v2" else "batch_norm"
    conv = "conv_module"
    return (
        feed_forward(c, "ffn1", c.speech_encoder_hidden_act),
        self_attention(c),
        *positions(c),
        Convolution(f"{conv}.pointwise_conv1", channels=width, out=2 * width, kernel=(1,), role=Role.MIXER),
        Convolution(
            f"{conv}.depthwise_conv", channels=1, out=width, kernel=(c.conv_depthwise_kernel_size,), role=Role.MIXER
        ),
        Convolution(f"{conv}.pointwise_conv2", channels=width, out=width, kernel=(1,), role=Role.MIXER),
        feed_forward(c, "ffn2", c.speech_encoder_hidden_act),
        *norms(width, "ffn1_layer_norm", "self_attn_layer_norm", f"{conv}.layer_norm", f"{conv}.{norm}"),
        *norms(width, "ffn2_layer_norm", "final_layer_norm"),
    )


def self_attention(c: SpeechConfig) -> Attention:
    """Attention of a layer, or of an adapter.

    Raises:
        ConfigError: the heads do not divide the width.
    """
    heads = c.speech_encoder_attention_heads
    if c.hidden_size % heads:
        raise ConfigError(f"{c.key('speech_encoder_attention_heads')}: {heads} does not divide {c.hidden_size}")
    return attention("self_attn", c.hidden_size, heads, NAMES)


def positions(c: SpeechConfig) -> tuple[Component, ...]:
    """Weights of relative positions: of Transformer-XL's kind, or a table by distance; rotary ones have none."""
    width, heads = c.hidden_size, c.speech_encoder_attention_heads
    kind, second = c.position_embeddings_type, c.model_type == "seamless_m4t_v2"
    if kind == "relative" and not second:
        biases = (f"self_attn.pos_bias_{letter}" for letter in "uv")
        shape, use = (heads, width // heads), Use.ELEMENTWISE
        return (
            *(Array(name, shape=shape, role=Role.ATTENTION, use=use) for name in biases),
            Linear("self_attn.linear_pos", width=width, out=width, role=Role.ATTENTION),
        )
    if kind == "relative_key" and second:
        rows = c.left_max_position_embeddings + c.right_max_position_embeddings + 1
        return (Embedding("self_attn.distance_embedding", rows=rows, width=width // heads, role=Role.ATTENTION),)
    return ()


def adapter(c: SpeechConfig) -> tuple[Component, ...]:
    """A layer whose input and residual are shortened by convolutions with a gate."""
    width, kernel = c.hidden_size, (c.adaptor_kernel_size,)
    return (
        *(
            Convolution(name, channels=width, out=2 * width, kernel=kernel, bias=True)
            for name in ("residual_conv", "self_attn_conv")
        ),
        self_attention(c),
        feed_forward(c, "ffn", "relu"),
        *norms(width, "residual_layer_norm", "self_attn_layer_norm", "ffn_layer_norm"),
    )


def feed_forward(c: SpeechConfig, name: str, activation: str) -> FFN:
    return FFN(
        name,
        width=c.hidden_size,
        hidden=c.speech_encoder_intermediate_size,
        activation=activation,
        bias=True,
        up="intermediate_dense",
        down="output_dense",
    )


def predictor(name: str, width: int, hidden: int, kernel: int) -> tuple[Component, ...]:
    """How long each unit lasts: two convolutions with norms, then a number."""
    return (
        Convolution(f"{name}.conv1", channels=width, out=hidden, kernel=(kernel,), bias=True),
        Convolution(f"{name}.conv2", channels=hidden, out=hidden, kernel=(kernel,), bias=True),
        *norms(hidden, f"{name}.ln1", f"{name}.ln2"),
        Linear(f"{name}.proj", width=hidden, out=1, role=Role.OTHER, bias=True),
    )


def vocoder(c: SpeechConfig, name: str) -> tuple[Block, ...]:
    """Units, the voice and the language to sound: transposed convolutions that halve the channels, residual blocks.

    Raises:
        ConfigError: as many lists of dilations as kernels are needed.
    """
    kernels, dilations = c.resblock_kernel_sizes, c.resblock_dilation_sizes
    if len(kernels) != len(dilations):
        raise ConfigError(f"{c.key('resblock_dilation_sizes')}: must have as many entries as resblock_kernel_sizes")
    widths = [c.upsample_initial_channel // 2**i for i in range(len(c.upsample_kernel_sizes) + 1)]
    into = c.unit_embed_dim + c.lang_embed_dim + c.spkr_embed_dim
    ups = [
        part
        for i, kernel in enumerate(c.upsample_kernel_sizes)
        for part in (
            # a transposed convolution stores [in, out, kernel]; its bias is as wide as the output
            Convolution(f"hifi_gan.upsampler.{i}", channels=widths[i + 1], out=widths[i], kernel=(kernel,)),
            Vector(f"hifi_gan.upsampler.{i}.bias", width=widths[i + 1], role=Role.OTHER),
        )
    ]
    residual = [
        Convolution(
            f"hifi_gan.resblocks.{i * len(kernels) + j}.{convs}.{k}",
            channels=width,
            out=width,
            kernel=(kernel,),
            bias=True,
        )
        for i, width in enumerate(widths[1:])
        for j, (kernel, steps) in enumerate(zip(kernels, dilations, strict=True))
        for convs in ("convs1", "convs2")
        for k in range(len(steps))
    ]
    parts: tuple[Component, ...] = (
        *predictor("dur_predictor", c.unit_embed_dim, c.unit_embed_dim, c.variance_predictor_kernel_size),
        Embedding("unit_embedding", rows=c.unit_hifi_gan_vocab_size, width=c.unit_embed_dim),
        Embedding("speaker_embedding", rows=c.vocoder_num_spkrs, width=c.spkr_embed_dim),
        Embedding("language_embedding", rows=c.vocoder_num_langs, width=c.lang_embed_dim),
        Convolution("hifi_gan.conv_pre", channels=into, out=widths[0], kernel=(7,), bias=True),
        *ups,
        *residual,
        Convolution("hifi_gan.conv_post", channels=widths[-1], out=1, kernel=(7,), bias=True),
    )
    return (Block(name, parts, stream=Stream.MEDIA, causal=False),)
