"""DeBERTa, versions 1 and 2 (and 3, which is a version 2 trained otherwise).

The table of relative positions is an embedding: it has a row of the model's width per distance.
Sources: arXiv:2006.03654, arXiv:2111.09543, transformers models/deberta and models/deberta_v2.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import (
    WORDS,
    EncoderConfig,
    Head,
    encoder,
    feed_forward,
    language_model,
    linear_head,
    pooler,
    token_heads,
)
from ffncalc.architectures._task import Task
from ffncalc.components.conv import Conv
from ffncalc.components.disentangled import DisentangledAttention
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import Count, Size


class Config(EncoderConfig):
    type_vocab_size: Count = 0
    embedding_size: Size | None = None
    pooler_hidden_size: Size | None = None
    relative_attention: bool = False
    max_relative_positions: int = -1
    position_buckets: int = -1
    pos_att_type: str | list[str] | None = None
    share_att_key: bool = False
    norm_rel_ebd: str = "none"
    position_biased_input: bool = True
    talking_head: bool = False
    conv_kernel_size: Count = 0
    conv_groups: Size = 1
    legacy: bool = True

    @property
    def second(self) -> bool:
        """Whether it is version 2, which alone has buckets, shared projections, a norm and a convolution."""
        return self.model_type != "deberta"

    @property
    def terms(self) -> list[str]:
        """Which position terms the score has; a string separates them by bars."""
        if isinstance(self.pos_att_type, str):
            return [term.strip() for term in self.pos_att_type.lower().split("|")]
        return self.pos_att_type or []

    @property
    def positions(self) -> int:
        """Rows of the table of relative positions; 0 where there is none."""
        if not self.relative_attention:
            return 0
        if self.second and self.position_buckets > 0:
            return 2 * self.position_buckets
        return 2 * (self.max_relative_positions if self.max_relative_positions > 0 else self.max_position_embeddings)


def build(c: Config) -> Model:
    attention = DisentangledAttention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_size,
        positions=c.positions,
        terms=tuple(c.terms),
        shared=c.second and c.share_att_key,
        fused=not c.second,
        talking=c.talking_head,
    )
    parts = (attention, Norm("attention.output.LayerNorm", width=c.hidden_size, bias=True), *feed_forward(c))

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=False)

    return encoder(c, stack, base="deberta", before=before(c), after=after(c), heads=heads(c))


def before(c: Config) -> tuple[Component, ...]:
    """Embeddings, each table only where the file asks for it; narrow ones are widened without a bias."""
    width = c.embedding_size or c.hidden_size
    positions = Embedding(
        "embeddings.position_embeddings", rows=c.max_position_embeddings, width=width, role=Role.POSITION
    )
    segments = Embedding("embeddings.token_type_embeddings", rows=c.type_vocab_size, width=width, role=Role.TYPE)
    widen = Linear("embeddings.embed_proj", width=width, out=c.hidden_size, role=Role.OTHER)
    return (
        Embedding(WORDS, rows=c.vocab_size, width=width),
        *((positions,) if c.position_biased_input else ()),
        *((segments,) if c.type_vocab_size else ()),
        *((widen,) if width != c.hidden_size else ()),
        Norm("embeddings.LayerNorm", width=c.hidden_size, bias=True),
    )


def after(c: Config) -> tuple[Component, ...]:
    """What all layers share: the relative positions, their norm, and a convolution over the first layer's input."""
    table = Embedding("encoder.rel_embeddings", rows=c.positions, width=c.hidden_size, role=Role.POSITION)
    found: tuple[Component, ...] = (table,) if c.positions else ()
    if not c.second:
        return found
    if "layer_norm" in [name.strip() for name in c.norm_rel_ebd.lower().split("|")]:
        found += (Norm("encoder.LayerNorm", width=c.hidden_size, bias=True),)
    if c.conv_kernel_size:
        conv = Conv(
            "encoder.conv.conv",
            width=c.hidden_size // c.conv_groups,
            out=c.hidden_size,
            kernel=c.conv_kernel_size,
            role=Role.MIXER,
        )
        found += (conv, Norm("encoder.conv.LayerNorm", width=c.hidden_size, bias=True))
    return found


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds; the pooler belongs to the sentence classifiers and stands outside the base model."""
    width = c.pooler_hidden_size or c.hidden_size
    first = pooler(c) if width == c.hidden_size else Linear("pooler.dense", width=width, out=width, bias=True)
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=words(c)),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(first, Linear("classifier", width=width, out=c.labels, bias=True))),
        Task.MULTIPLE_CHOICE: Head(parts=(first, Linear("classifier", width=width, out=1, bias=True))),
    }


def words(c: Config) -> tuple[Component, ...]:
    """BERT's head where `legacy`, else one that multiplies by the embedding itself and has no tensor for it."""
    if c.legacy:
        return language_model(
            c,
            "cls.predictions",
            f"deberta.{WORDS}.weight",
            width=c.embedding_size,
            dense="transform.dense",
            norm="transform.LayerNorm",
        )
    name = "lm_predictions.lm_head"
    return (
        Vector(f"{name}.bias", width=c.vocab_size, role=Role.HEAD),
        linear_head(c, f"{name}.dense", c.hidden_size),
        Norm(f"{name}.LayerNorm", width=c.hidden_size, bias=True),
    )
