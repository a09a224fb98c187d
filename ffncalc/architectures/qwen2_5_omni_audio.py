"""Audio encoder of Qwen2.5-Omni: Whisper's, with a projection to the width of the language model.

Source: arXiv:2212.04356 (Whisper), arXiv:2503.20215 (Qwen2.5-Omni), transformers models/qwen2_5_omni.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import encoder_tower, norms, spectrum
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.ir import Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    num_mel_bins: Size = 128
    encoder_layers: Depth
    encoder_attention_heads: Size
    encoder_ffn_dim: Size
    d_model: Size
    activation_function: str = "gelu"
    output_dim: Size = 3584


def build(c: Config) -> Model:
    width, heads = c.d_model, c.encoder_attention_heads
    layer = (
        Attention(
            "self_attn",
            width=width,
            heads=heads,
            kv_heads=heads,
            head_dim=divided(c, "d_model", "encoder_attention_heads"),
            qkv_bias=True,
            k_bias=False,
            out_bias=True,
            names=Projections(o="out_proj"),
        ),
        fc1_fc2("", width, c.encoder_ffn_dim, c.activation_function),
        *norms(width, "self_attn_layer_norm", "final_layer_norm"),
    )
    return encoder_tower(
        c,
        c.output_dim,
        c.encoder_layers,
        lambda i: layer,
        before=(
            *spectrum(c.num_mel_bins, width),
            Embedding("audio_bos_eos_token", rows=2, width=c.output_dim),
        ),
        stack="layers",
        after=(
            *norms(width, "ln_post"),
            Linear("proj", width=width, out=c.output_dim, role=Role.OTHER, bias=True),
        ),
    )
