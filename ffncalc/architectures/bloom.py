"""BLOOM: ALiBi instead of positions, biases everywhere, a norm right after the embedding, a plain FFN of four times
the width.

Source: arXiv:2211.05100; transformers models/bloom.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("n_embed",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "max_position_embeddings": ("seq_length",),
    }
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "self_attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=True,
        out_bias=True,
        names=Projections(fused="query_key_value", o="dense"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size,
        activation="gelu_pytorch_tanh",  # its own tanh form
        bias=True,
        up="dense_h_to_4h",
        down="dense_4h_to_h",
    )
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm", bias=True))
    return decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="word_embeddings",
        before=norms(c, "word_embeddings_layernorm", bias=True),
        stack="h",
        after=norms(c, "ln_f", bias=True),
        classifier="classifier",
    )
