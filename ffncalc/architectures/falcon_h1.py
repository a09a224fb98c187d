"""Falcon-H1: attention and Mamba-2 side by side in every layer, then a dense FFN.

Source: https://arxiv.org/abs/2507.22448, transformers models/falcon_h1.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._ssm import Mamba2Config, mamba2
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(Mamba2Config):
    intermediate_size: Size
    attention_bias: bool = False
    mlp_bias: bool = False
    projectors_bias: bool = False
    mamba_d_ssm: Size | None = 1024
    mamba_rms_norm: bool = False


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
    )
    ffn = GatedFFN(
        "feed_forward", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act, bias=c.mlp_bias
    )
    mixer = mamba2(c, inner=c.mamba_d_ssm, out_bias=c.projectors_bias, gated_norm=c.mamba_rms_norm)
    parts = (attention, mixer, ffn, *norms(c, "input_layernorm", "pre_ff_layernorm"))
    return decoder(c, lambda i: parts, after=norms(c, "final_layernorm"))
