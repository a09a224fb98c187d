"""What Qwen2.5-Omni speaks with: a decoder of speech codes (talker), a diffusion transformer that turns them into a
spectrogram, and a vocoder that turns that into sound.

Sources: arXiv:2503.20215, arXiv:2210.02747 (flow matching), arXiv:2005.07143 (ECAPA-TDNN), arXiv:2206.04658 (BigVGAN);
transformers models/qwen2_5_omni.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.architectures import dense
from ffncalc.architectures._tower import encoder_tower
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import BaseConfig, Count, Depth, Few, Size

FREQUENCIES = 256  # of the embedding of a diffusion step


class TalkerConfig(dense.Config):
    embedding_size: Size = 3584
    vocab_size: Size = 8448
    hidden_size: Size = 3584
    intermediate_size: Size = 18944
    num_hidden_layers: Depth = 28
    num_attention_heads: Size = 28
    num_key_value_heads: Size | None = 4
    head_dim: Size | None = 128
    use_sliding_window: bool = False
    max_window_layers: Count = 28


class DiffusionConfig(BaseConfig):
    aliases = {"hidden_size": ("dim",), "num_hidden_layers": ("depth",), "num_attention_heads": ("heads",)}
    hidden_size: Size = 1024
    num_hidden_layers: Depth = 22
    num_attention_heads: Size = 16
    head_dim: Size = 64
    ff_mult: Size = 2
    emb_dim: Size = 512
    num_embeds: Size = 8193
    mel_dim: Size = 80
    enc_emb_dim: Size = 192
    enc_dim: Size = 128
    enc_channels: list[Size] = [256, 256, 256, 256, 768]
    enc_kernel_sizes: list[Size] = [5, 3, 3, 3, 1]
    enc_attention_channels: Size = 64
    enc_res2net_scale: Few = 2
    enc_se_channels: Size = 64


class VocoderConfig(BaseConfig):
    mel_dim: Size = 80
    upsample_initial_channel: Size = 1536
    resblock_kernel_sizes: list[Size] = [3, 7, 11]
    upsample_kernel_sizes: list[Size] = [11, 7, 4, 4, 4, 4]


def talker(c: TalkerConfig) -> tuple[Block, ...]:
    """The decoder of speech codes: Qwen2's layers between an embedding and a head of other widths."""
    row = dense.ROWS["qwen2"]
    found = dense.layer_spans(c, row.windows)
    rest = (dense.feed_forward(c, row), *(Norm(name, width=c.hidden_size) for name in row.norms))
    parts = {span: (dense.attention(c, row, span), *rest) for span in dict.fromkeys(found)}
    width = c.hidden_size
    head = Linear("codec_head", width=width, out=c.vocab_size)
    projection = Linear("thinker_to_talker_proj", width=c.embedding_size, out=width, role=Role.OTHER, bias=True)
    return (
        Block("model", (Embedding("embed_tokens", rows=c.vocab_size, width=c.embedding_size),)),
        *layers("model.layers.{}", c.num_hidden_layers, lambda i: parts[found[i]]),
        Block("", (Norm("model.norm", width=width), projection, head)),
    )


def conv(name: str, channels: int, out: int, kernel: int, *, bias: bool = True) -> Convolution:
    return Convolution(name, channels=channels, out=out, kernel=(kernel,), bias=bias)


def linear(name: str, width: int, out: int) -> Linear:
    return Linear(name, width=width, out=out, role=Role.OTHER, bias=True)


def diffusion(c: DiffusionConfig) -> Model:
    """The diffusion transformer; norms take scale and shift from the step, so they have a linear map each."""
    width = c.hidden_size
    layer = (
        linear("attn_norm.linear", width, 6 * width),
        Attention(
            "attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_dim,
            qkv_bias=True,
            out_bias=True,
            names=Projections(q="to_q", k="to_k", v="to_v", o="to_out.0"),
        ),
        FFN("ff", width=width, hidden=c.ff_mult * width, bias=True, up="ff.0", down="ff.3"),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            linear("time_embed.time_mlp.0", FREQUENCIES, width),
            linear("time_embed.time_mlp.2", width, width),
            Embedding("text_embed.codec_embed", rows=c.num_embeds + 1, width=c.emb_dim),
            linear("input_embed.proj", c.mel_dim + c.enc_dim + c.enc_emb_dim + c.emb_dim, width),
            *speaker(c, "input_embed.spk_encoder"),
        ),
        stack="transformer_blocks",
        after=(linear("norm_out.linear", width, 2 * width), linear("proj_out", width, c.mel_dim)),
    )


def speaker(c: DiffusionConfig, name: str) -> tuple[Component, ...]:
    """The speaker encoder: dilated convolutions with squeeze-and-excitation, then attentive pooling.

    Raises:
        ConfigError: as many kernels as channels are needed.
    """
    channels, kernels = c.enc_channels, c.enc_kernel_sizes
    if len(channels) != len(kernels) or len(channels) < 2:
        raise ConfigError(f"{c.key('enc_kernel_sizes')}: must have as many entries as enc_channels, two or more")
    inner = [
        part
        for i in range(1, len(channels) - 1)
        for part in squeezed(c, f"{name}.blocks.{i}", channels[i - 1], channels[i], kernels[i])
    ]
    last = channels[-1]
    return (
        conv(f"{name}.blocks.0.conv", c.mel_dim, channels[0], kernels[0]),
        *inner,
        conv(f"{name}.mfa.conv", last, last, kernels[-1]),
        conv(f"{name}.asp.tdnn.conv", 3 * last, c.enc_attention_channels, 1),
        conv(f"{name}.asp.conv", c.enc_attention_channels, last, 1),
        conv(f"{name}.fc", 2 * last, c.enc_dim, 1),
    )


def squeezed(c: DiffusionConfig, name: str, channels: int, out: int, kernel: int) -> tuple[Component, ...]:
    group = out // c.enc_res2net_scale
    return (
        conv(f"{name}.tdnn1.conv", channels, out, 1),
        *(conv(f"{name}.res2net_block.blocks.{i}.conv", group, group, kernel) for i in range(c.enc_res2net_scale - 1)),
        conv(f"{name}.tdnn2.conv", out, out, 1),
        conv(f"{name}.se_block.conv1", out, c.enc_se_channels, 1),
        conv(f"{name}.se_block.conv2", c.enc_se_channels, out, 1),
    )


def vocoder(c: VocoderConfig) -> Block:
    """The vocoder: upsampling convolutions that halve the channels, residual blocks after each."""
    widths = [c.upsample_initial_channel // 2 ** (i + 1) for i in range(len(c.upsample_kernel_sizes))]
    before = [c.upsample_initial_channel, *widths]
    ups = [
        part
        for i, kernel in enumerate(c.upsample_kernel_sizes)
        for part in (
            # a transposed convolution stores [in, out, kernel]; its bias is as wide as the output
            Convolution(f"ups.{i}.0", channels=widths[i], out=before[i], kernel=(kernel,)),
            Vector(f"ups.{i}.0.bias", width=widths[i], role=Role.OTHER),
        )
    ]
    blocks = [
        part
        for i, width in enumerate(widths)
        for j, kernel in enumerate(c.resblock_kernel_sizes)
        for part in residual(f"resblocks.{i * len(c.resblock_kernel_sizes) + j}", width, kernel)
    ]
    last = before[-1]
    parts = (
        conv("conv_pre", c.mel_dim, c.upsample_initial_channel, 7),
        *ups,
        *blocks,
        *snake("activation_post", last),
        conv("conv_post", last, 1, 7, bias=False),
    )
    return Block("", parts)


def residual(name: str, width: int, kernel: int) -> Sequence[Component]:
    """Three pairs of convolutions and the activations before them."""
    return (
        *(conv(f"{name}.convs1.{i}", width, width, kernel) for i in range(3)),
        *(conv(f"{name}.convs2.{i}", width, width, kernel) for i in range(3)),
        *(part for i in range(6) for part in snake(f"{name}.activations.{i}", width)),
    )


def snake(name: str, width: int) -> tuple[Vector, Vector]:
    """An activation with a learned frequency and size per channel (arXiv:2006.08195)."""
    return (
        Vector(f"{name}.act.alpha", width=width, role=Role.OTHER),
        Vector(f"{name}.act.beta", width=width, role=Role.OTHER),
    )
