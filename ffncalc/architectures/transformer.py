"""The original Transformer: encoder and decoder with a norm after each part, one table for both sides and the head.

No checkpoint and no config were published, so the tensor names are ours, in the Hub's words. Projections of attention
have no biases, the FFN has (its equation 2); positions are sinusoids, hence no tensor.
Source: arXiv:1706.03762, sections 3.1 to 3.5 and table 3.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.components.attention import Attention
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Stream, layers
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    vocab_size: Size
    d_model: Size
    d_ff: Size
    num_heads: Size
    num_layers: Depth
    num_decoder_layers: Depth | None = None
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    head_dim = divided(c, "d_model", "num_heads")
    attention = Attention("self_attn", width=c.d_model, heads=c.num_heads, kv_heads=c.num_heads, head_dim=head_dim)
    cross = CrossAttention("cross_attn", width=c.d_model, heads=c.num_heads, head_dim=head_dim)
    ffn = fc1_fc2("ffn", c.d_model, c.d_ff, "relu")
    first, last, between = (
        Norm(name, width=c.d_model, bias=True) for name in ("self_attn_norm", "ffn_norm", "cross_attn_norm")
    )
    encoder: tuple[Component, ...] = (attention, first, ffn, last)
    decoder: tuple[Component, ...] = (attention, first, cross, between, ffn, last)
    embedding = Embedding("embedding", rows=c.vocab_size, width=c.d_model)
    tied = "embedding.weight" if c.tie_word_embeddings else ""
    count = c.num_decoder_layers or c.num_layers
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.d_model,
        blocks=(
            Block("", (embedding,)),
            *layers("encoder.layers.{}", c.num_layers, lambda i: encoder, stream=Stream.SOURCE, causal=False),
            *layers("decoder.layers.{}", count, lambda i: decoder),
            Block("", (Linear("head", width=c.d_model, out=c.vocab_size, tied=tied),)),
        ),
    )
