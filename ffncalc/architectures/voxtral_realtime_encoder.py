"""The audio tower of Voxtral Realtime: two convolutions, then layers that see the past alone, gated FFNs.

Source: https://huggingface.co/mistralai/Voxtral-Mini-4B-Realtime-2602, transformers models/voxtral_realtime.
"""

from __future__ import annotations

from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Convolution
from ffncalc.ir import Model, Span
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    head_dim: Size = 64
    num_mel_bins: Size = 128
    hidden_act: str = "silu"
    sliding_window: Size = 750


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "self_attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_dim,
            span=Span("sliding", c.sliding_window),
            qkv_bias=True,
            k_bias=False,
            out_bias=True,
        ),
        GatedFFN("mlp", width=width, hidden=c.intermediate_size, activation=c.hidden_act, down_bias=True),
        *norms(width, "self_attn_layer_norm", "final_layer_norm", bias=False),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Convolution("embedder.conv1", channels=c.num_mel_bins, out=width, kernel=(3,), bias=True),
            Convolution("embedder.conv2", channels=width, out=width, kernel=(3,), bias=True),
        ),
        stack="layers",
        after=norms(width, "norm", bias=False),
    )
