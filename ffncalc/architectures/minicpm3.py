"""MiniCPM3: a dense decoder with latent attention.

Source: https://huggingface.co/openbmb/MiniCPM3-4B, transformers models/minicpm3.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.latent_attention import LatentAttention
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    intermediate_size: Size
    kv_lora_rank: Size
    q_lora_rank: Size | None = 768
    qk_nope_head_dim: Size
    qk_rope_head_dim: Size
    v_head_dim: Size | None = None
    attention_bias: bool = False
    mlp_bias: bool = False


def build(c: Config) -> Model:
    parts = (
        LatentAttention(
            "self_attn",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            q_rank=c.q_lora_rank,
            kv_rank=c.kv_lora_rank,
            nope_dim=c.qk_nope_head_dim,
            rope_dim=c.qk_rope_head_dim,
            value_dim=c.v_head_dim or divided(c, "hidden_size", "num_attention_heads"),
            bias=c.attention_bias,
        ),
        GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act, bias=c.mlp_bias),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
    )
    return decoder(c, lambda i: parts)
