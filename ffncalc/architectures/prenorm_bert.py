"""BERT kin with norms before each sublayer and one after the last: Megatron's BERT, RoBERTa with pre-norm, XLM-R XL.

Sources: arXiv:1909.08053 (Megatron), arXiv:1904.01038 (fairseq), arXiv:2105.00572 (XLM-R XL); transformers
models/megatron_bert, roberta_prelayernorm, xlm_roberta_xl.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import BERT_NAMES, embeddings, feed_forward, self_attention
from ffncalc.components.norm import Norm
from ffncalc.ir import Model
from ffncalc.record import record


class Config(bert.Config):
    pass


@record(frozen=True, kw_only=True)
class Row:
    """How a family differs: BERT's row, the names of its norms, and whether the embeddings are normed."""

    bert: bert.Row
    norms: tuple[str, str, str]  # before attention, before the FFN, after the layers
    first: bool = False


ROWS: dict[str, Row] = {
    "megatron-bert": Row(bert=bert.Row(base="bert", roberta_heads=False), norms=("attention.ln", "ln", "encoder.ln")),
    "roberta-prelayernorm": Row(
        bert=bert.Row(base="roberta_prelayernorm"),
        norms=("attention.LayerNorm", "intermediate.LayerNorm", "LayerNorm"),
        first=True,
    ),
    "xlm-roberta-xl": Row(
        bert=bert.Row(base="roberta"), norms=("attention.self_attn_layer_norm", "LayerNorm", "encoder.LayerNorm")
    ),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    first, second, last = (Norm(name, width=c.hidden_size, bias=True) for name in row.norms)
    cross = bert.cross_attention(c)
    if cross:  # normed like the other attention
        cross = (cross[0], replace(first, name=f"cross{first.name}"))
    tables = embeddings(c)
    return bert.model(
        c,
        row.bert,
        before=tables if row.first else tables[:-1],
        parts=(self_attention(c, "attention", BERT_NAMES), first, *cross, feed_forward(c)[0], second),
        after=(last,),
    )
