"""T5Gemma: Gemma 2 as encoder and as decoder, each with its own sizes; the decoder's layers also read the source.

Both sides have their own embedding, and the head is tied to that of the decoder. Without `is_encoder_decoder` a
classifier keeps the encoder alone.
Source: arXiv:2504.06225, transformers models/t5gemma.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import dense
from ffncalc.architectures._composite import nested, taken
from ffncalc.architectures._decoder import norms
from ffncalc.architectures._encoder import labels
from ffncalc.architectures._encoder_decoder import Side, blocks
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Block, Component, Model, Stream
from ffncalc.schema import BaseConfig, Depth, Size

ROW = dense.Row(
    qkv_bias="attention_bias",
    out_bias="attention_bias",
    norms=(
        "pre_self_attn_layernorm",
        "post_self_attn_layernorm",
        "pre_feedforward_layernorm",
        "post_feedforward_layernorm",
    ),
    windows="even",
)


class Half(dense.Config):
    """One side; the defaults are those of the class."""

    vocab_size: Size = 256000
    hidden_size: Size = 2304
    intermediate_size: Size = 9216
    num_hidden_layers: Depth = 26
    num_attention_heads: Size = 8
    num_key_value_heads: Size | None = 4
    head_dim: Size | None = 256
    hidden_act: str = "gelu_pytorch_tanh"
    max_position_embeddings: Size | None = 8192
    sliding_window: int | None = 4096


class Config(BaseConfig):
    encoder: dict[str, Any] | None = None
    decoder: dict[str, Any] | None = None
    is_encoder_decoder: bool = True
    vocab_size: Size = 256000
    tie_word_embeddings: bool = True
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CONDITIONAL_GENERATION)
    alone = task is Task.ENCODER or (task is not Task.CONDITIONAL_GENERATION and not c.is_encoder_decoder)
    reads = nested(Half, c.encoder, "encoder.", "t5gemma")
    writes = None if alone else nested(Half, c.decoder, "decoder.", "t5gemma")
    dot = "" if task in (Task.BASE, Task.ENCODER) else "model."
    last = writes or reads
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=last.hidden_size,
        blocks=(
            *blocks(side(reads, "encoder"), dot, Stream.SOURCE if writes else Stream.TOKEN, causal=False),
            *(blocks(side(writes, "decoder", reads.hidden_size), dot, Stream.TOKEN, causal=True) if writes else ()),
            *head(c, task, last.hidden_size),
        ),
        max_context=last.max_position_embeddings,
        defaults=(*taken(reads, "encoder."), *(taken(writes, "decoder.") if writes else ())),
    )


def side(c: Half, name: str, source: int | None = None) -> Side:
    """One side; with `source`, the width of the encoder, its layers read that too."""
    spans = dense.layer_spans(c, ROW.windows)
    rest: tuple[Component, ...] = (dense.feed_forward(c, ROW), *norms(c, *ROW.norms))
    if source:
        rest = (*rest, cross(c, source), *norms(c, "pre_cross_attn_layernorm", "post_cross_attn_layernorm"))
    parts = {span: (dense.attention(c, ROW, span), *rest) for span in dict.fromkeys(spans)}
    return Side(
        name=name,
        count=c.num_hidden_layers,
        layer=lambda i: parts[spans[i]],
        before=(Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size),),
        after=norms(c, "norm"),
    )


def cross(c: Half, source: int) -> CrossAttention:
    return CrossAttention(
        "cross_attn",
        width=c.hidden_size,
        source_width=source,
        heads=c.num_attention_heads,
        head_dim=c.head_size,
        kv_heads=c.kv_heads,
        bias=c.attention_bias,
    )


def head(c: Config, task: Task, width: int) -> tuple[Block, ...]:
    if task in (Task.BASE, Task.ENCODER):
        return ()
    if task in (Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION):
        out = labels(c.num_labels, c.id2label, 2)
        once = task is Task.SEQUENCE_CLASSIFICATION
        return (Block("", (Linear("score.out_proj", width=width, out=out, bias=True, once=once),)),)
    tied = "model.decoder.embed_tokens.weight" if c.tie_word_embeddings else ""
    return (Block("", (Linear("lm_head.out_proj", width=width, out=c.vocab_size, tied=tied),)),)
