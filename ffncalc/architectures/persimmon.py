"""Persimmon: one fused projection, LayerNorms with biases on each head of q and k, a plain FFN of squared ReLU.

Source: https://www.adept.ai/blog/persimmon-8b, transformers models/persimmon.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model


class Config(dense.Config):
    qk_layernorm: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=True,
        out_bias=True,
        qk_norm="head" if c.qk_layernorm else "",
        norm_bias=True,
        names=Projections(fused="query_key_value", o="dense", q_norm="q_layernorm", k_norm="k_layernorm"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="dense_h_to_4h",
        down="dense_4h_to_h",
    )
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm", bias=True))
    return decoder(c, lambda i: parts, after=norms(c, "final_layernorm", bias=True))
