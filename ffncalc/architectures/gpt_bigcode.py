"""GPT-BigCode (SantaCoder, StarCoder): GPT-2 with plain linear maps and one key/value head for all query heads.

Source: arXiv:2301.03988, arXiv:2305.06161; transformers models/gpt_bigcode.
"""

from __future__ import annotations

from ffncalc.architectures import gpt2
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import FFN
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Role


class Config(gpt2.Config):
    multi_query: bool = True


def build(c: Config) -> Model:
    head_dim = gpt2.head_dim(c)
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=1 if c.multi_query else c.num_attention_heads,
        head_dim=head_dim,
        qkv_bias=True,
        out_bias=True,
        names=Projections(fused="c_attn", o="c_proj"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size if c.n_inner is None else c.n_inner,
        activation=c.hidden_act,
        bias=True,
        up="c_fc",
        down="c_proj",
    )
    parts = (attention, ffn, *norms(c, "ln_1", "ln_2", bias=True), *cross(c))
    positions = Embedding("wpe", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION)
    return decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="wte",
        before=(positions,),
        stack="h",
        after=norms(c, "ln_f", bias=True),
        classifier="classifier",
    )


def cross(c: Config) -> tuple[Component, ...]:
    """Cross attention, which the family knows for as many key/value heads as query heads only."""
    if c.add_cross_attention and c.multi_query:
        raise ConfigError("add_cross_attention: not possible with multi_query", "Set multi_query to false.")
    return gpt2.cross(c, transposed=False)
