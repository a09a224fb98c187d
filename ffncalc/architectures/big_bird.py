"""BigBird: BERT whose tokens attend a window of blocks, two global ones and some at random.

Of a long text a token attends 5 + `num_random_blocks` blocks of `block_size` keys: three around its own, the first,
the last, and random ones. (The tokens of the first and last block attend everything; that is not counted.) Texts of
up to 5 + 2 × `num_random_blocks` blocks are attended in full, and so is all with attention_type `original_full`.
Source: arXiv:2007.14062, transformers models/big_bird.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import (
    BERT_NAMES,
    WORDS,
    Head,
    embeddings,
    encoder,
    feed_forward,
    language_model,
    linear_head,
    pooler,
    self_attention,
    two_layer_head,
)
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Block, Component, Model, Span, layers
from ffncalc.schema import Count, Size


class Config(bert.Config):
    use_bias: bool = True
    attention_type: str = "block_sparse"
    block_size: Size = 64
    num_random_blocks: Count = 3


def build(c: Config) -> Model:
    attention = replace(self_attention(c, "attention", BERT_NAMES, bias=c.use_bias), span=span(c))
    norm = Norm("attention.output.LayerNorm", width=c.hidden_size, bias=True)
    parts = (attention, norm, *bert.cross_attention(c, bias=c.use_bias), *feed_forward(c))

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=c.is_decoder)

    return encoder(c, stack, base="bert", before=embeddings(c), pooler=(pooler(c, "pooler"),), heads=heads(c))


def span(c: Config) -> Span:
    kind = "original_full" if c.add_cross_attention else c.attention_type
    return block_span(c.key("attention_type"), kind, c.block_size, c.num_random_blocks)


def block_span(key: str, kind: str, size: int, random: int) -> Span:
    """The keys of a token in a long text.

    Raises:
        ConfigError: the attention type, the value of `key`, is unknown.
    """
    if kind not in ("block_sparse", "original_full"):
        raise ConfigError(f"{key}: expected 'block_sparse' or 'original_full', got {shown(kind)}")
    return FULL if kind == "original_full" else Span("sliding", (5 + random) * size)


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds: all keep the pooler but question answering, which has an FFN of its own."""
    words = language_model(
        c, "cls.predictions", f"bert.{WORDS}.weight", dense="transform.dense", norm="transform.LayerNorm"
    )
    sentences = linear_head(c, "cls.seq_relationship", 2, once=True)
    tokens = Head(parts=(linear_head(c, "classifier", c.labels),), pooler=True)
    return {
        Task.BASE: Head(pooler=True),
        Task.MASKED_LM: Head(parts=words, pooler=True),
        Task.PRETRAINING: Head(parts=(*words, sentences), pooler=True),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=two_layer_head(c), pooler=True),
        Task.MULTIPLE_CHOICE: Head(parts=(linear_head(c, "classifier", 1),), pooler=True),
        Task.TOKEN_CLASSIFICATION: tokens,
        Task.QUESTION_ANSWERING: Head(parts=answers(c)),
    }


def answers(c: Config) -> tuple[Component, ...]:
    """The head that marks an answer's two ends: one more FFN, with its norm, below the labels."""
    width, hidden = c.hidden_size, c.intermediate_size
    return (
        Linear("qa_classifier.intermediate.dense", width=width, out=hidden, bias=True),
        Linear("qa_classifier.output.dense", width=hidden, out=width, bias=True),
        Norm("qa_classifier.output.LayerNorm", width=width, bias=True),
        Linear("qa_classifier.qa_outputs", width=width, out=2, bias=True),
    )
