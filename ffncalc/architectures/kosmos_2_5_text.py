"""The language models of Kosmos-2 and 2.5: biases everywhere, a norm inside the FFN.

Kosmos-2 has one inside its attention too, 2.5 a table that tells image from text. Positions are sines, and no weights.

Source: arXiv:2306.14824, arXiv:2309.11419; transformers models/{kosmos2,kosmos2_5}.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.norm import Norm
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("embed_dim",),
        "num_hidden_layers": ("layers",),
        "num_attention_heads": ("attention_heads",),
        "intermediate_size": ("ffn_dim",),
        "hidden_act": ("activation_function",),
    }
    intermediate_size: Size


def build(c: Config) -> Model:
    old = c.model_type == "kosmos_2_text_model"
    segments = Embedding("segment_emb", rows=2, width=c.hidden_size, role=Role.TYPE)
    layer = (
        Attention(
            "self_attn",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_size,
            qkv_bias=True,
            out_bias=True,
            names=Projections(o="out_proj"),
        ),
        fc1_fc2("ffn", c.hidden_size, c.intermediate_size, c.hidden_act),
        Norm("ffn.ffn_layernorm", width=c.intermediate_size, bias=True),
        *(norms(c, "self_attn.inner_attn_ln", bias=True) if old else ()),
        *norms(c, "self_attn_layer_norm", "final_layer_norm", bias=True),
    )
    return decoder(
        c,
        lambda i: layer,
        before=() if old else (segments,),
        after=norms(c, "layer_norm", bias=True),
    )
