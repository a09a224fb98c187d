"""RecurrentGemma (Griffin): recurrent blocks, with local attention in every third layer.

Source: https://arxiv.org/abs/2402.19427, https://arxiv.org/abs/2404.07839; transformers models/recurrent_gemma.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.rglru import RecurrentBlock
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model, Span
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "hidden_act": ("hidden_activation",),
        "sliding_window": ("attention_window_size",),
        "block_types": ("block_types", "_block_types"),
    }
    intermediate_size: Size
    lru_width: Size | None = None
    conv1d_width: Size = 4
    block_types: list[str] = ["recurrent", "recurrent", "attention"]
    attention_bias: bool = False


def build(c: Config) -> Model:
    # The config's width counts both halves of the gated FFN.
    ffn = GatedFFN(
        "mlp_block", width=c.hidden_size, hidden=c.intermediate_size // 2, activation=c.hidden_act, bias=True
    )
    rest = (ffn, *norms(c, "temporal_pre_norm", "channel_pre_norm"))
    known: dict[str, Component] = {"attention": attention(c), "recurrent": recurrent(c)}
    if not c.block_types or not known.keys() >= set(c.block_types):
        raise ConfigError(
            f"{c.key('block_types')}: must be a list of {' and '.join(known)}, got {shown(c.block_types)}"
        )
    parts = {kind: (mixer, *rest) for kind, mixer in known.items()}
    cycle = [parts[kind] for kind in c.block_types]
    return decoder(c, lambda i: cycle[i % len(cycle)], after=norms(c, "final_norm"))


def attention(c: Config) -> Attention:
    return Attention(
        "temporal_block",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=Span("sliding", c.window) if c.window else Span(),
        qkv_bias=c.attention_bias,
        out_bias=True,
    )


def recurrent(c: Config) -> RecurrentBlock:
    inner = c.lru_width or c.hidden_size
    if inner % c.num_attention_heads:
        raise ConfigError(
            f"{c.key('num_attention_heads')}: {c.num_attention_heads} blocks do not divide the {inner} channels"
        )
    return RecurrentBlock(
        "temporal_block", width=c.hidden_size, inner=inner, heads=c.num_attention_heads, kernel=c.conv1d_width
    )
