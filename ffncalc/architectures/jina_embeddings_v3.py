"""Jina Embeddings v3: RoBERTa with rotary positions and fused projections.

Source: arXiv:2409.10173, transformers models/jina_embeddings_v3.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import WORDS, encoder, pooler, self_attention
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Model, Role, layers
from ffncalc.schema import Count, Size


class Config(bert.Config):
    max_position_embeddings: Size = 8194
    type_vocab_size: Count = 1


ROW = bert.Row(base="roberta")


def build(c: Config) -> Model:
    def norm(name: str) -> Norm:
        return Norm(name, width=c.hidden_size, bias=True)

    ffn = fc1_fc2("mlp", c.hidden_size, c.intermediate_size, c.hidden_act)
    names = Projections(fused="Wqkv", o="out_proj")
    parts = (self_attention(c, "mixer", names), norm("norm1"), ffn, norm("norm2"))

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layers.{{}}", c.num_hidden_layers, lambda i: parts, causal=False)

    types = Embedding("embeddings.token_type_embeddings", rows=c.type_vocab_size, width=c.hidden_size, role=Role.TYPE)
    return encoder(
        c,
        stack,
        base=ROW.base,
        before=(Embedding(WORDS, rows=c.vocab_size, width=c.hidden_size), types, norm("emb_ln")),
        pooler=(pooler(c),),
        heads=bert.heads(c, ROW),
    )
