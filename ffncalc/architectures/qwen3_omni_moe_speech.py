"""What Qwen3-Omni speaks with: a decoder of speech codes with experts (talker), a small decoder that adds the other
codes of each frame, and a causal network that turns them into sound.

Source: arXiv:2509.17765, transformers models/qwen3_omni_moe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ffncalc.architectures import dense, moe
from ffncalc.architectures._decoder import norms
from ffncalc.architectures.qwen2_5_omni_speech import conv
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.ir import FULL, Block, Component, Role, Span, layers
from ffncalc.schema import BaseConfig, Count, Depth, Few, Size

ROW = moe.Row(
    dense=dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head"),
    shared="shared_expert_intermediate_size",
)
PLAIN = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias")


class TalkerConfig(BaseConfig):
    thinker_hidden_size: Size = 2048
    text_config: dict[str, Any] | None = None
    code_predictor_config: dict[str, Any] | None = None


class TalkerTextConfig(moe.Config):
    vocab_size: Size = 3072
    hidden_size: Size = 1024
    intermediate_size: Size = 2048
    num_hidden_layers: Depth = 20
    num_attention_heads: Size = 16
    num_key_value_heads: Size | None = 2
    num_experts: Count = 128
    num_experts_per_tok: Size = 8
    moe_intermediate_size: Size | None = 384
    shared_expert_intermediate_size: Size


class PredictorConfig(dense.Config):
    vocab_size: Size = 2048
    hidden_size: Size = 1024
    intermediate_size: Size = 3072
    num_hidden_layers: Depth = 5
    num_attention_heads: Size = 16
    num_key_value_heads: Size | None = 8
    head_dim: Size | None = 128
    max_window_layers: Count = 28
    num_code_groups: Few = 32


class WaveConfig(dense.Config):
    vocab_size: Size = 1  # of no use here
    codebook_size: Size = 2048
    num_quantizers: Size = 16
    hidden_size: Size = 1024
    intermediate_size: Size = 3072
    num_hidden_layers: Depth = 8
    num_attention_heads: Size = 16
    num_key_value_heads: Size | None = 16
    sliding_window: Count | None = 72
    upsample_rates: list[Size] = [8, 5, 4, 3]
    upsampling_ratios: list[Size] = [2, 2]
    decoder_dim: Size = 1536


def talker(c: TalkerConfig, text: TalkerTextConfig) -> tuple[Block, ...]:
    """The decoder of the first codes, and the maps of the thinker's words and states to its width."""
    width, read = text.hidden_size, c.thinker_hidden_size
    names = ("input_layernorm", "post_attention_layernorm")
    parts = (dense.attention(text, ROW.dense, FULL), moe.experts(text, ROW), *norms(text, *names))
    maps = tuple(
        part
        for name in ("text_projection", "hidden_projection")
        for part in (
            Linear(f"{name}.linear_fc1", width=read, out=read, role=Role.OTHER, bias=True),
            Linear(f"{name}.linear_fc2", width=read, out=width, role=Role.OTHER, bias=True),
        )
    )
    return (
        Block("model", (Embedding("codec_embedding", rows=text.vocab_size, width=width),)),
        *layers("model.layers.{}", text.num_hidden_layers, lambda i: parts),
        Block("", (Norm("model.norm", width=width), *maps, Linear("codec_head", width=width, out=text.vocab_size))),
    )


def predictor(c: PredictorConfig) -> tuple[Block, ...]:
    """The decoder of the other codes, with a table and a head for each of them."""
    row, width, root = dense.ROWS["qwen3"], c.hidden_size, "code_predictor"
    found = dense.layer_spans(c, row.windows)
    rest = (dense.feed_forward(c, row), *norms(c, *row.norms))
    parts = {span: (dense.attention(c, row, span), *rest) for span in dict.fromkeys(found)}
    others = range(c.num_code_groups - 1)
    tables = tuple(Embedding(f"codec_embedding.{i}", rows=c.vocab_size, width=width) for i in others)
    heads = tuple(Linear(f"lm_head.{i}", width=width, out=c.vocab_size) for i in others)
    return (
        Block(f"{root}.model", tables),
        *layers(f"{root}.model.layers.{{}}", c.num_hidden_layers, lambda i: parts[found[i]]),
        Block(root, (Norm("model.norm", width=width), *heads)),
    )


def wave(c: WaveConfig) -> tuple[Block, ...]:
    """Codes to sound: a table, a transformer with windows, steps that lengthen, and convolutions that lengthen more."""
    width = c.hidden_size
    parts = (
        dense.attention(c, PLAIN, Span("sliding", c.window) if c.window else FULL),
        Vector("self_attn_layer_scale.scale", width=width, role=Role.OTHER),
        dense.feed_forward(c, PLAIN),
        Vector("mlp_layer_scale.scale", width=width, role=Role.OTHER),
        *norms(c, *PLAIN.norms),
    )
    return (
        Block("", (Embedding("code_embedding", rows=c.codebook_size * c.num_quantizers, width=width),)),
        *layers("pre_transformer.layers.{}", c.num_hidden_layers, lambda i: parts),
        Block("", (Norm("pre_transformer.norm", width=width), *lengthened(c), *decoder(c))),
    )


def lengthened(c: WaveConfig) -> tuple[Component, ...]:
    """A transposed convolution and a ConvNeXt block (arXiv:2201.03545) for each ratio."""
    width = c.hidden_size
    return tuple(
        part
        for i, ratio in enumerate(c.upsampling_ratios)
        for part in (
            conv(f"upsample.{i}.0.conv", width, width, ratio),
            conv(f"upsample.{i}.1.dwconv.conv", 1, width, 7),
            Norm(f"upsample.{i}.1.norm", width=width, bias=True),
            Linear(f"upsample.{i}.1.pwconv1", width=width, out=4 * width, role=Role.OTHER, bias=True),
            Linear(f"upsample.{i}.1.pwconv2", width=4 * width, out=width, role=Role.OTHER, bias=True),
            Vector(f"upsample.{i}.1.gamma", width=width, role=Role.OTHER),
        )
    )


def decoder(c: WaveConfig) -> tuple[Component, ...]:
    """Convolutions that lengthen by each rate and halve the channels, with three residual units after each."""
    widths = [c.decoder_dim // 2**i for i in range(len(c.upsample_rates) + 1)]
    steps = [
        part
        for i, rate in enumerate(c.upsample_rates)
        for part in step(f"decoder.{i + 1}.block", widths[i], widths[i + 1], 2 * rate)
    ]
    last = len(widths)
    return (
        conv("decoder.0.conv", c.hidden_size, c.decoder_dim, 7),
        *steps,
        *snake(f"decoder.{last}", widths[-1]),
        conv(f"decoder.{last + 1}.conv", widths[-1], 1, 7),
    )


def step(name: str, width: int, out: int, kernel: int) -> tuple[Component, ...]:
    units = (
        part
        for i in (2, 3, 4)
        for part in (
            *snake(f"{name}.{i}.act1", out),
            conv(f"{name}.{i}.conv1.conv", out, out, 7),
            *snake(f"{name}.{i}.act2", out),
            conv(f"{name}.{i}.conv2.conv", out, out, 1),
        )
    )
    return (
        *snake(f"{name}.0", width),
        # a transposed convolution stores [in, out, kernel]; its bias is as wide as the output
        Convolution(f"{name}.1.conv", channels=out, out=width, kernel=(kernel,)),
        Vector(f"{name}.1.conv.bias", width=out, role=Role.OTHER),
        *units,
    )


def snake(name: str, width: int) -> Sequence[Vector]:
    """An activation with a learned frequency and size per channel (arXiv:2006.08195)."""
    return [Vector(f"{name}.{part}", width=width, role=Role.OTHER) for part in ("alpha", "beta")]
