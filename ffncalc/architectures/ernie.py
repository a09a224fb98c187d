"""ERNIE: BERT, with a table of tasks where `use_task_id` says so.

Source: arXiv:2107.02137, transformers models/ernie.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import embeddings
from ffncalc.components.embedding import Embedding
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(bert.Config):
    use_task_id: bool = False
    task_type_vocab_size: Size = 3


def build(c: Config) -> Model:
    before: tuple[Component, ...] = embeddings(c)
    if c.use_task_id:
        table = Embedding(
            "embeddings.task_type_embeddings", rows=c.task_type_vocab_size, width=c.hidden_size, role=Role.TYPE
        )
        before = (*before, table)
    return bert.model(c, bert.Row(base="ernie", roberta_heads=False), before=before)
