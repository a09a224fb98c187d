"""ELECTRA: BERT's layers, embeddings that may be narrower, no pooler; discriminator and generator are classes.

Source: arXiv:2003.10555, transformers models/electra.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import (
    BERT_NAMES,
    WORDS,
    Head,
    embeddings,
    encoder,
    feed_forward,
    linear_head,
    self_attention,
    token_heads,
    two_layer_head,
)
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Model, Role, layers
from ffncalc.schema import Size


class Config(bert.Config):
    embedding_size: Size = 128
    summary_use_proj: bool = True
    summary_proj_to_labels: bool = False


def build(c: Config) -> Model:
    attention = self_attention(c, "attention", BERT_NAMES)
    norm = Norm("attention.output.LayerNorm", width=c.hidden_size, bias=True)
    parts = (attention, norm, *bert.cross_attention(c), *feed_forward(c))

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=c.is_decoder)

    project = Linear("embeddings_project", width=c.embedding_size, out=c.hidden_size, role=Role.OTHER, bias=True)
    return encoder(
        c,
        stack,
        base="electra",
        before=(*embeddings(c, width=c.embedding_size), *((project,) if c.embedding_size != c.hidden_size else ())),
        heads=heads(c),
    )


def heads(c: Config, base: str = "electra") -> dict[Task, Head]:
    """What each class adds: the generator predicts words, the discriminator (pre-training) whether one is real."""
    table = f"{base}.{WORDS}.weight" if c.tie_word_embeddings else ""
    words = (
        Linear("generator_predictions.dense", width=c.hidden_size, out=c.embedding_size, bias=True),
        Norm("generator_predictions.LayerNorm", width=c.embedding_size, bias=True),
        Linear("generator_lm_head", width=c.embedding_size, out=c.vocab_size, bias=True, tied=table),
    )
    real = (
        linear_head(c, "discriminator_predictions.dense", c.hidden_size),
        linear_head(c, "discriminator_predictions.dense_prediction", 1),
    )
    summary = linear_head(c, "sequence_summary.summary", c.labels if c.summary_proj_to_labels else c.hidden_size)
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=words),
        Task.PRETRAINING: Head(parts=real),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=two_layer_head(c)),
        Task.MULTIPLE_CHOICE: Head(
            parts=(*((summary,) if c.summary_use_proj else ()), linear_head(c, "classifier", 1))
        ),
    }
