"""LayoutLM: BERT, with tables for the corners and the size of each word's box on the page.

Source: arXiv:1912.13318, transformers models/layoutlm.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import Head, embeddings
from ffncalc.components.embedding import Embedding
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(bert.Config):
    max_2d_position_embeddings: Size = 1024


ROW = bert.Row(base="layoutlm", roberta_heads=False)


def build(c: Config) -> Model:
    boxes = (
        Embedding(
            f"embeddings.{side}_position_embeddings",
            rows=c.max_2d_position_embeddings,
            width=c.hidden_size,
            role=Role.POSITION,
        )
        for side in "xyhw"
    )
    heads = {task: Head(parts=head.parts, pooler=True) for task, head in bert.heads(c, ROW).items()}
    return bert.model(c, ROW, before=(*embeddings(c), *boxes), found=heads)
