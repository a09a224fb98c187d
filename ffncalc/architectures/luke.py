"""LUKE: RoBERTa on words and entities, with queries of their own for what attends what.

Source: arXiv:2010.01057, transformers models/luke.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import (
    Head,
    embeddings,
    language_model,
    linear_head,
    token_heads,
)
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.schema import Size


class Config(bert.Config):
    entity_vocab_size: Size = 500000
    entity_emb_size: Size | None = 256
    use_entity_aware_attention: bool = True

    @property
    def entity_width(self) -> int:
        """Width of the table of entities."""
        return self.entity_emb_size or self.hidden_size


ROW = bert.Row(base="luke")
ENTITIES = {"EntityClassification": 1, "EntityPairClassification": 2, "EntitySpanClassification": 3}


def build(c: Config) -> Model:
    parts = (*bert.layer(c, ROW), *(entity_queries(c) if c.use_entity_aware_attention else ()))
    return bert.model(c, ROW, before=(*embeddings(c), *entities(c)), parts=parts, found=heads(c))


def entity_queries(c: Config) -> tuple[Component, ...]:
    """What words ask entities multiplies every word; what the few entities ask costs a word nothing."""
    return tuple(
        part
        for name, use in (("w2e", Use.MATMUL), ("e2w", Use.ELEMENTWISE), ("e2e", Use.ELEMENTWISE))
        for part in (
            Array(
                f"attention.self.{name}_query.weight",
                shape=(c.hidden_size, c.hidden_size),
                role=Role.ATTENTION,
                use=use,
            ),
            Vector(f"attention.self.{name}_query.bias", width=c.hidden_size, role=Role.ATTENTION),
        )
    )


def entities(c: Config) -> tuple[Component, ...]:
    """Tables of the entities, and the map from their width to the model's: none of it runs on words."""
    width = c.entity_width
    base = "entity_embeddings"
    widen = Array(
        f"{base}.entity_embedding_dense.weight", shape=(c.hidden_size, width), role=Role.OTHER, use=Use.ELEMENTWISE
    )
    tables = ((f"{base}.position_embeddings", c.max_position_embeddings, Role.POSITION),)
    return (
        Embedding(f"{base}.entity_embeddings", rows=c.entity_vocab_size, width=width),
        *((widen,) if width != c.hidden_size else ()),
        *(Embedding(name, rows=rows, width=c.hidden_size, role=role) for name, rows, role in tables),
        Embedding(f"{base}.token_type_embeddings", rows=c.type_vocab_size, width=c.hidden_size, role=Role.TYPE),
        Norm(f"{base}.LayerNorm", width=c.hidden_size, bias=True),
    )


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds; those on entities read one, two or three vectors."""
    read = next((n for name, n in ENTITIES.items() if c.architecture.endswith(f"For{name}")), 0)
    other: tuple[Component, ...]
    if read:
        other = (Linear("classifier", width=read * c.hidden_size, out=c.labels, bias=read != 2, once=True),)
    else:
        other = (*words(c), *entity_words(c))
    return {
        **token_heads(c),
        Task.BASE: Head(pooler=True),
        Task.MASKED_LM: Head(parts=other, pooler=True),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(linear_head(c, "classifier", c.labels),), pooler=True),
        Task.MULTIPLE_CHOICE: Head(parts=(linear_head(c, "classifier", 1),), pooler=True),
    }


def words(c: Config) -> tuple[Component, ...]:
    """RoBERTa's head, whose decoder is not tied."""
    bias, dense, norm, _ = language_model(c, "lm_head", "")
    return (
        Vector(
            bias.name, width=c.vocab_size, role=Role.HEAD, tied="lm_head.decoder.bias" if c.tie_word_embeddings else ""
        ),
        dense,
        norm,
        Linear("lm_head.decoder", width=c.hidden_size, out=c.vocab_size, bias=True),
    )


def entity_words(c: Config) -> tuple[Component, ...]:
    """The head that predicts entities: it runs on them alone."""
    base, width = "entity_predictions", c.entity_width
    table = "luke.entity_embeddings.entity_embeddings.weight" if c.tie_word_embeddings else ""
    return (
        Vector(f"{base}.bias", width=c.entity_vocab_size, role=Role.HEAD),
        Linear(f"{base}.transform.dense", width=c.hidden_size, out=width, bias=True, once=True),
        Norm(f"{base}.transform.LayerNorm", width=width, bias=True),
        Linear(f"{base}.decoder", width=width, out=c.entity_vocab_size, tied=table, once=True),
    )
