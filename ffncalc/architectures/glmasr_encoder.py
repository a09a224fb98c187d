"""The audio tower of GLM-ASR: Whisper's convolutions, then layers with rotary positions and grouped keys and values.

Source: transformers models/glmasr.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import encoder_tower, norms, spectrum
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import fc1_fc2
from ffncalc.ir import Model
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    num_key_value_heads: Size | None = None
    head_dim: Size | None = None
    num_mel_bins: Size = 128
    hidden_act: str = "gelu"


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "self_attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_key_value_heads or c.num_attention_heads,
            head_dim=c.head_dim or divided(c, "hidden_size", "num_attention_heads"),
            qkv_bias=True,
            k_bias=False,
            out_bias=True,
        ),
        fc1_fc2("mlp", width, c.intermediate_size, c.hidden_act),
        *norms(width, "input_layernorm", "post_attention_layernorm"),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(*spectrum(c.num_mel_bins, width),),
        stack="layers",
        after=norms(width, "norm"),
    )
