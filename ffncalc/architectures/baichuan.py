"""Baichuan and Baichuan 2: Llama with one tensor W_pack for queries, keys and values.

The 13B models use ALiBi and the 7B ones rotary positions; neither is learned. The second generation normalises the
head's weight when it computes, which adds no tensor.
Source: arXiv:2309.10305; modeling_baichuan.py of baichuan-inc/Baichuan2-7B-Base and -13B-Base.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {"max_position_embeddings": ("max_position_embeddings", "model_max_length")}
    intermediate_size: Size


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        names=Projections(fused="W_pack"),
    )
    ffn = GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act)
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm"))
    return decoder(c, lambda i: parts)
