"""GPT-2: learned positions, fused projections stored as Conv1D, a plain FFN of four times the width.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"; transformers models/gpt2.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("n_embd",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "max_position_embeddings": ("n_positions",),
        "hidden_act": ("activation_function",),
    }
    max_position_embeddings: Size = 1024
    n_inner: Size | None = None
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.head_size,
        qkv_bias=True,
        out_bias=True,
        transposed=True,
        names=Projections(fused="c_attn", o="c_proj"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.n_inner or 4 * c.hidden_size,
        activation=c.hidden_act,
        bias=True,
        transposed=True,
        up="c_fc",
        down="c_proj",
    )
    parts = (attention, ffn, *norms(c, "ln_1", "ln_2", bias=True))
    positions = Embedding("wpe", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION)
    return decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="wte",
        before=(positions,),
        stack="h",
        after=norms(c, "ln_f", bias=True),
    )
