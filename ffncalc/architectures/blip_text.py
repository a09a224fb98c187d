"""The text model of BLIP: a BERT without segments whose layers also attend the image.

Source: arXiv:2201.12086, transformers models/blip.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import (
    BERT_NAMES,
    WORDS,
    EncoderConfig,
    embeddings,
    feed_forward,
    language_model,
    pooler,
    self_attention,
)
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import Size


class Config(EncoderConfig):
    encoder_hidden_size: Size = 768
    is_decoder: bool = True


def build(c: Config) -> Model:
    alone = task_of(c.architecture, Task.CAUSAL_LM) is Task.BASE
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(*stack(c, ""), Block("", (pooler(c),))) if alone else decoder(c, ""),
        max_context=c.max_position_embeddings,
    )


def decoder(c: Config, dot: str) -> tuple[Block, ...]:
    """The stack with BERT's language-model head, under a prefix with its dot."""
    table = f"{dot}bert.{WORDS}.weight"
    head = language_model(c, f"{dot}cls.predictions", table, dense="transform.dense", norm="transform.LayerNorm")
    return (*stack(c, f"{dot}bert."), Block("", head))


def stack(c: Config, dot: str) -> tuple[Block, ...]:
    parts: tuple[Component, ...] = (
        self_attention(c, "attention", BERT_NAMES),
        Norm("attention.output.LayerNorm", width=c.hidden_size, bias=True),
        *(seeing(c) if c.is_decoder else ()),
        *feed_forward(c),
    )
    return (
        Block(dot.removesuffix("."), embeddings(c, types=False), causal=c.is_decoder),
        *layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=c.is_decoder),
    )


def seeing(c: Config) -> tuple[Component, ...]:
    attention = CrossAttention(
        "crossattention",
        width=c.hidden_size,
        source_width=c.encoder_hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_size,
        bias=True,
        names=BERT_NAMES,
    )
    return attention, Norm("crossattention.output.LayerNorm", width=c.hidden_size, bias=True)
