"""Bamba: Mamba-2 with attention in a few layers that the config lists, a dense FFN in each.

Source: https://huggingface.co/blog/bamba, transformers models/bamba.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._ssm import Mamba2Config, mamba2
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Model
from ffncalc.schema import Count, Size


class Config(Mamba2Config):
    intermediate_size: Size
    attn_layer_indices: list[Count] | None = None
    attention_bias: bool = False
    mlp_bias: bool = False


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
    rest = (ffn, *norms(c, "input_layernorm", "pre_ff_layernorm"))
    attends, recurs = (attention, *rest), (mamba2(c), *rest)
    attending = set(c.attn_layer_indices or ())
    return decoder(c, lambda i: attends if i in attending else recurs, after=norms(c, "final_layernorm"))
