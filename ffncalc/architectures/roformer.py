"""RoFormer: BERT with rotary positions, embeddings that may be narrower, no pooler.

Source: arXiv:2104.09864, transformers models/roformer.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import WORDS, Head, embeddings, language_model, linear_head, two_layer_head
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(bert.Config):
    embedding_size: Size | None = None
    max_position_embeddings: Size = 1536


ROW = bert.Row(base="roformer", roberta_heads=False)


def build(c: Config) -> Model:
    narrow = c.embedding_size or c.hidden_size
    words, _, types, norm = embeddings(c, width=narrow)
    widen = Linear("embeddings_project", width=narrow, out=c.hidden_size, role=Role.OTHER, bias=True)
    positions = Embedding(
        "encoder.embed_positions", rows=c.max_position_embeddings, width=c.head_size, role=Role.POSITION
    )
    before: tuple[Component, ...] = (words, types, norm, *((widen,) if narrow != c.hidden_size else ()), positions)
    return bert.model(c, ROW, before=before, found=heads(c, narrow))


def heads(c: Config, narrow: int) -> dict[Task, Head]:
    base = "cls.predictions"
    bias, _, _, decoder = language_model(c, base, f"roformer.{WORDS}.weight", width=narrow)
    words = (
        bias,
        Linear(f"{base}.transform.dense", width=c.hidden_size, out=narrow, bias=True),
        Norm(f"{base}.transform.LayerNorm", width=narrow, bias=True),
        decoder,
    )
    return bert.heads(c, ROW) | {
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=words),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=two_layer_head(c)),
        Task.MULTIPLE_CHOICE: Head(parts=(linear_head(c, "classifier", 1),)),
        Task.QUESTION_ANSWERING: Head(parts=(linear_head(c, "qa_outputs", 2),)),
    }
