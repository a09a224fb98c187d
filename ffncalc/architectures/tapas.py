"""TAPAS: BERT, with several tables of token types: segment, column, row, ranks, previous answers.

Source: arXiv:2004.02349, transformers models/tapas.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import Head, embeddings, linear_head
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Embedding
from ffncalc.components.media import Array
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.schema import Count, Size


class Config(bert.Config):
    max_position_embeddings: Size = 1024
    type_vocab_size: list[Size] | Count = 0  # type: ignore[assignment]  # older files repeat the list here
    type_vocab_sizes: list[Size] = [3, 256, 256, 2, 256, 256, 10]
    num_aggregation_labels: Count = 0


ROW = bert.Row(base="tapas", roberta_heads=False)


def build(c: Config) -> Model:
    words, positions, norm = embeddings(c, types=False)
    types = (
        Embedding(f"embeddings.token_type_embeddings_{i}", rows=rows, width=c.hidden_size, role=Role.TYPE)
        for i, rows in enumerate(c.type_vocab_sizes)
    )
    heads = bert.heads(c, ROW) | {Task.QUESTION_ANSWERING: Head(parts=answering(c), pooler=True)}
    return bert.model(c, ROW, before=(words, positions, *types, norm), found=heads)


def answering(c: Config) -> tuple[Component, ...]:
    """A score for each token as a cell and as a column, and the aggregation of the whole table."""
    scores = (
        part
        for name in ("", "column_")
        for part in (
            Array(f"{name}output_weights", shape=(c.hidden_size,), role=Role.HEAD, use=Use.MATMUL),
            Array(f"{name}output_bias", shape=(), role=Role.HEAD, use=Use.ELEMENTWISE),
        )
    )
    if not c.num_aggregation_labels:
        return tuple(scores)
    return (*scores, linear_head(c, "aggregation_classifier", c.num_aggregation_labels, once=True))
