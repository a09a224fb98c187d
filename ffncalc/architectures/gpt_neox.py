"""GPT-NeoX and Pythia: parallel attention and FFN under two norms, rotary positions, an untied head.

Source: arXiv:2204.06745, arXiv:2304.01373; transformers models/gpt_neox.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    intermediate_size: Size
    attention_bias: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        names=Projections(fused="query_key_value", o="dense"),
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
    return decoder(
        c,
        lambda i: parts,
        base="gpt_neox",
        embed="embed_in",
        after=norms(c, "final_layer_norm", bias=True),
        head="embed_out",
        classifier="classifier",
    )
