"""Whisper's encoder as the audio tower of Qwen2-Audio and Voxtral, which give its fields other names.

Source: arXiv:2212.04356 (Whisper), transformers models/{qwen2_audio,voxtral}.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import encoder_tower, norms, spectrum
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import fc1_fc2
from ffncalc.ir import Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "intermediate_size": ("encoder_ffn_dim",),
        "num_hidden_layers": ("encoder_layers",),
        "num_attention_heads": ("encoder_attention_heads",),
    }
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    num_mel_bins: Size = 128
    max_source_positions: Size = 1500
    activation_function: str = "gelu"


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "self_attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=divided(c, "hidden_size", "num_attention_heads"),
            qkv_bias=True,
            k_bias=False,
            out_bias=True,
            names=Projections(o="out_proj"),
        ),
        fc1_fc2("", width, c.intermediate_size, c.activation_function),
        *norms(width, "self_attn_layer_norm", "final_layer_norm"),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            *spectrum(c.num_mel_bins, width),
            Embedding("embed_positions", rows=c.max_source_positions, width=width, role=Role.POSITION),
        ),
        stack="layers",
        after=norms(width, "layer_norm"),
    )
