"""InternLM, first generation: Llama with a bias on all four attention projections.

Source: modeling_internlm.py and configuration_internlm.py of internlm/internlm-7b.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    intermediate_size: Size
    bias: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=c.bias,
        out_bias=c.bias,
    )
    ffn = GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act)
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm"))
    return decoder(c, lambda i: parts)
