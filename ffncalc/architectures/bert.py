"""BERT and RoBERTa kin: learned positions, norms after each sublayer, a plain FFN.

Sources: arXiv:1810.04805 (BERT), arXiv:1907.11692 (RoBERTa), arXiv:1911.02116 (XLM-R), arXiv:1911.03894 (CamemBERT),
arXiv:2004.09297 (MPNet), arXiv:2101.01321 (I-BERT), arXiv:2202.03555 (data2vec); transformers models/<type>.
"""

from __future__ import annotations

from collections.abc import Mapping

from ffncalc.architectures._encoder import (
    BERT_NAMES,
    WORDS,
    EncoderConfig,
    Head,
    embeddings,
    encoder,
    feed_forward,
    language_model,
    linear_head,
    pooler,
    self_attention,
    token_heads,
    two_layer_head,
)
from ffncalc.architectures._task import Task
from ffncalc.components.attention import Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.record import record
from ffncalc.schema import Size


class Config(EncoderConfig):
    is_decoder: bool = False
    add_cross_attention: bool = False
    relative_attention_num_buckets: Size = 32


@record(frozen=True, kw_only=True)
class Row:
    """How a family differs: prefix, the names of its attention, segments, and its heads (BERT's or RoBERTa's)."""

    base: str
    attention: str = "attention"
    names: Projections = BERT_NAMES
    norm: str = "attention.output.LayerNorm"
    segments: bool = True
    relative: bool = False
    roberta_heads: bool = True


ROWS: dict[str, Row] = {
    "bert": Row(base="bert", roberta_heads=False),
    "camembert": Row(base="roberta"),
    "data2vec-text": Row(base="data2vec_text"),
    "ibert": Row(base="ibert"),
    "mpnet": Row(
        base="mpnet",
        attention="attention.attn",
        names=Projections(q="q", k="k", v="v", o="o"),
        norm="attention.LayerNorm",
        segments=False,
        relative=True,
    ),
    "roberta": Row(base="roberta"),
    "xlm-roberta": Row(base="roberta"),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    return model(c, row, after=(relative_bias(c),) if row.relative else ())


def model(
    c: Config,
    row: Row,
    *,
    before: tuple[Component, ...] | None = None,
    parts: tuple[Component, ...] | None = None,
    after: tuple[Component, ...] = (),
    found: Mapping[Task, Head] | None = None,
) -> Model:
    """The encoder of a row; `before`, `parts` and `found` replace its embeddings, its layer and its heads."""
    inner = layer(c, row) if parts is None else parts

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: inner, causal=c.is_decoder)

    return encoder(
        c,
        stack,
        base=row.base,
        before=embeddings(c, types=row.segments) if before is None else before,
        after=after,
        pooler=(pooler(c),),
        heads=heads(c, row) if found is None else found,
    )


def layer(c: Config, row: Row) -> tuple[Component, ...]:
    attention = self_attention(c, row.attention, row.names)
    return attention, Norm(row.norm, width=c.hidden_size, bias=True), *cross_attention(c), *feed_forward(c)


def cross_attention(c: Config, *, bias: bool = True) -> tuple[Component, ...]:
    """The attention on another model's output that a BERT has as the decoder of an encoder–decoder.

    Raises:
        ConfigError: it is asked for outside a decoder.
    """
    if not c.add_cross_attention:
        return ()
    if not c.is_decoder:
        raise ConfigError(
            "add_cross_attention: true, but is_decoder is not: only a decoder has cross attention",
            "Configs of BLIP and ALBEF text models have it so; they describe no BERT of transformers.",
        )
    attention = CrossAttention(
        "crossattention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_size,
        bias=bias,
        out_bias=True,
        names=BERT_NAMES,
    )
    return attention, Norm("crossattention.output.LayerNorm", width=c.hidden_size, bias=True)


def relative_bias(c: Config) -> Embedding:
    """MPNet's learned biases [buckets, heads], added to the scores of every layer: attention, not an embedding."""
    return Embedding(
        "encoder.relative_attention_bias",
        rows=c.relative_attention_num_buckets,
        width=c.num_attention_heads,
        role=Role.ATTENTION,
    )


def heads(c: Config, row: Row) -> dict[Task, Head]:
    """What each class adds. BERT's sentence classifier reads the pooler, RoBERTa's has a map of its own."""
    table = f"{row.base}.{WORDS}.weight"
    common = {
        **token_heads(c),
        Task.BASE: Head(pooler=True),
        Task.MULTIPLE_CHOICE: Head(parts=(linear_head(c, "classifier", 1),), pooler=True),
    }
    if row.roberta_heads:
        return common | {
            Task.MASKED_LM: Head(parts=language_model(c, "lm_head", table)),
            Task.SEQUENCE_CLASSIFICATION: Head(parts=two_layer_head(c)),
        }
    predictions = language_model(c, "cls.predictions", table, dense="transform.dense", norm="transform.LayerNorm")
    sentences = linear_head(c, "cls.seq_relationship", 2, once=True)
    return common | {
        Task.MASKED_LM: Head(parts=predictions),
        Task.PRETRAINING: Head(parts=(*predictions, sentences), pooler=True),
        Task.NEXT_SENTENCE: Head(parts=(sentences,), pooler=True),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(linear_head(c, "classifier", c.labels),), pooler=True),
    }
