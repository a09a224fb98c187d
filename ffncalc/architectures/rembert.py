"""RemBERT: BERT with narrow embeddings at its input, and wide ones of their own at its output.

Source: arXiv:2010.12821, transformers models/rembert.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import Head, embeddings
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(bert.Config):
    input_embedding_size: Size = 256
    output_embedding_size: Size = 1664


ROW = bert.Row(base="rembert", roberta_heads=False)


def build(c: Config) -> Model:
    narrow, wide = c.input_embedding_size, c.output_embedding_size
    widen = Linear("encoder.embedding_hidden_mapping_in", width=narrow, out=c.hidden_size, role=Role.OTHER, bias=True)
    words = (
        Linear("cls.predictions.dense", width=c.hidden_size, out=wide, bias=True),
        Norm("cls.predictions.LayerNorm", width=wide, bias=True),
        Linear("cls.predictions.decoder", width=wide, out=c.vocab_size, bias=True),
    )
    heads = bert.heads(c, ROW) | {Task.MASKED_LM: Head(parts=words)}
    return bert.model(c, ROW, before=(*embeddings(c, width=narrow), widen), found=heads)
