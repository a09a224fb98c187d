"""GPT-NeoX Japanese: GPT-NeoX without biases, but for one that the last layer adds after its attention.

Source: https://huggingface.co/abeja/gpt-neox-japanese-2.7b, transformers models/gpt_neox_japanese.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Vector
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model, Role
from ffncalc.schema import Few, Size


class Config(StackConfig):
    num_attention_heads: Size
    intermediate_multiple_size: Few = 4


def build(c: Config) -> Model:
    attention = Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        names=Projections(fused="query_key_value", o="dense"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.hidden_size * c.intermediate_multiple_size,
        activation=c.hidden_act,
        up="dense_h_to_4h",
        down="dense_4h_to_h",
    )
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm", bias=True))
    last = (*parts, Vector("attention.dense_bias", width=c.hidden_size, role=Role.ATTENTION))
    return decoder(
        c,
        lambda i: last if i == c.num_hidden_layers - 1 else parts,
        base="gpt_neox_japanese",
        embed="embed_in",
        after=norms(c, "final_layer_norm", bias=True),
        head="embed_out",
    )
