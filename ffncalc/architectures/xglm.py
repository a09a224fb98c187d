"""XGLM and BioGPT: GPT-like decoders of fairseq, with biases everywhere and scaled embeddings.

XGLM works its sinusoidal positions out; BioGPT has a table that starts with two rows that no position uses.
Sources: arXiv:2112.10668 (XGLM), https://doi.org/10.1093/bib/bbac409 (BioGPT); transformers models/xglm, models/biogpt.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import fc1_fc2
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size

NAMES = Projections(o="out_proj")


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "num_hidden_layers": ("num_layers",),
        "num_attention_heads": ("attention_heads",),
        "intermediate_size": ("ffn_dim",),
        "hidden_act": ("activation_function",),
    }
    intermediate_size: Size
    max_position_embeddings: Size = 2048
    tie_word_embeddings: bool = True
    add_cross_attention: bool = False


def build(c: Config) -> Model:
    head_dim = divided(c, "hidden_size", "num_attention_heads")
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=head_dim,
        qkv_bias=True,
        out_bias=True,
        names=NAMES,
    )
    ffn = fc1_fc2("", c.hidden_size, c.intermediate_size, c.hidden_act)
    around = norms(c, "self_attn_layer_norm", "final_layer_norm", bias=True)
    parts = (attention, ffn, *around, *cross(c, head_dim))
    last = norms(c, "layer_norm", bias=True)
    if c.model_type == "xglm":
        return decoder(c, lambda i: parts, after=last)
    positions = Embedding(
        "embed_positions", rows=c.max_position_embeddings + 2, width=c.hidden_size, role=Role.POSITION
    )
    return decoder(
        c,
        lambda i: parts,
        base="biogpt",
        before=(positions,),
        after=last,
        head="output_projection",
        classifier="classifier",
    )


def cross(c: Config, head_dim: int) -> tuple[Component, ...]:
    if not c.add_cross_attention or c.model_type != "xglm":
        return ()
    attention = CrossAttention(
        "encoder_attn", width=c.hidden_size, heads=c.num_attention_heads, head_dim=head_dim, bias=True, names=NAMES
    )
    return attention, *norms(c, "encoder_attn_layer_norm", bias=True)
