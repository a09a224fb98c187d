"""GPT (the first one): GPT-2 without a final norm, norms after attention and FFN.

Source: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training"; transformers models/openai.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import gpt2
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(gpt2.Config):
    aliases = gpt2.Config.aliases | {"hidden_act": ("afn",)}
    max_position_embeddings: Size = 512


def build(c: Config) -> Model:
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=gpt2.head_dim(c),
        qkv_bias=True,
        out_bias=True,
        transposed=True,
        names=Projections(fused="c_attn", o="c_proj"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size,
        activation=c.hidden_act,
        bias=True,
        transposed=True,
        up="c_fc",
        down="c_proj",
    )
    parts = (attention, ffn, *norms(c, "ln_1", "ln_2", bias=True))
    model = decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="tokens_embed",
        before=(Embedding("positions_embed", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION),),
        stack="h",
        after=(),
    )
    return replace(model, blocks=(*model.blocks, *gpt2.second_head(c)))
