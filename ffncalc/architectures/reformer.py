"""Reformer: attention within chunks of neighbours or of like keys, reversible residuals that double the last width.

A query meets its own chunk and those around it. Positions are two tables whose rows are joined, or one.
Source: arXiv:2001.04451, transformers models/reformer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures._encoder import labels
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.linear import linear
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Model, Role, Span, Tensor, layers
from ffncalc.record import record
from ffncalc.schema import BaseConfig, Count, Size


class Config(BaseConfig):
    vocab_size: Size
    hidden_size: Size
    feed_forward_size: Size = 512
    attention_head_size: Size = 64
    num_attention_heads: Size
    attn_layers: list[str] = ["local", "lsh", "local", "lsh", "local", "lsh"]
    axial_pos_embds: bool = True
    axial_pos_shape: list[Size] = [64, 64]
    axial_pos_embds_dim: list[Size] = [64, 192]
    local_attn_chunk_length: Size = 64
    local_num_chunks_before: Count = 1
    local_num_chunks_after: Count = 0
    lsh_attn_chunk_length: Size = 64
    lsh_num_chunks_before: Count = 1
    lsh_num_chunks_after: Count = 0
    num_hashes: Size = 1
    is_decoder: bool = False
    hidden_act: str = "relu"
    max_position_embeddings: Size = 4096
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None


@record(frozen=True, kw_only=True)
class HashedAttention(Attention):
    """Attention whose queries are the keys, sorted by hash: query_key and value [heads·head_dim, width]."""

    def _inputs(self, value_dim: int) -> tuple[Tensor, ...]:
        inner = self.heads * self.head_dim
        return (
            *linear(self.names.q, self.width, inner, Role.ATTENTION),
            *linear(self.names.v, self.width, self.heads * value_dim, Role.ATTENTION),
        )

    def describe(self) -> str:
        return f"hashed {self.span} attention"


NAMES = Projections(q="self_attention.query", k="self_attention.key", v="self_attention.value", o="output.dense")


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CAUSAL_LM)
    base = "" if task is Task.BASE else "reformer"
    dot = f"{base}." if base else ""
    parts = {kind: (mixer, *around(c)) for kind, mixer in mixers(c).items()}
    if unknown := [kind for kind in c.attn_layers if kind not in parts]:
        raise ConfigError(f"{c.key('attn_layers')}: unknown entry {shown(unknown[0])}, expected local or lsh")
    words = Embedding("embeddings.word_embeddings", rows=c.vocab_size, width=c.hidden_size)
    final = Norm("encoder.layer_norm", width=2 * c.hidden_size, bias=True)
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(
            Block(base, (words, *positions(c)), causal=c.is_decoder),
            *layers(
                f"{dot}encoder.layers.{{}}",
                len(c.attn_layers),
                lambda i: parts[c.attn_layers[i]],
                causal=c.is_decoder,
            ),
            Block(base, (final,), causal=c.is_decoder),
            *((Block("", head(c, task), causal=c.is_decoder),) if base else ()),
        ),
        max_context=c.max_position_embeddings,
    )


def positions(c: Config) -> tuple[Component, ...]:
    """Tables for the positions.

    Raises:
        ConfigError: the widths of the axial tables do not add up to the model's, or there are not two of each.
    """
    name = "embeddings.position_embeddings"
    if not c.axial_pos_embds:
        rows = c.max_position_embeddings
        return (Embedding(f"{name}.embedding", rows=rows, width=c.hidden_size, role=Role.POSITION),)
    shape, widths = c.axial_pos_shape, c.axial_pos_embds_dim
    if len(shape) != len(widths) or sum(widths) != c.hidden_size:
        raise ConfigError(
            f"{c.key('axial_pos_embds_dim')}: {shown(list(map(int, widths)))} must have as many entries as "
            f"axial_pos_shape and add up to hidden_size {c.hidden_size}"
        )
    return tuple(
        Array(
            f"{name}.weights.{i}",
            shape=(*(1,) * i, rows, *(1,) * (len(shape) - 1 - i), width),
            role=Role.POSITION,
        )
        for i, (rows, width) in enumerate(zip(shape, widths, strict=True))
    )


def mixers(c: Config) -> dict[str, Component]:
    near = c.local_attn_chunk_length * (c.local_num_chunks_before + 1 + c.local_num_chunks_after)
    like = c.num_hashes * c.lsh_attn_chunk_length * (c.lsh_num_chunks_before + 1 + c.lsh_num_chunks_after)
    local = Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.attention_head_size,
        span=Span("sliding", near),
        names=NAMES,
    )
    hashed = HashedAttention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.attention_head_size,
        span=Span("top_k", like),
        names=replace(NAMES, q="self_attention.query_key"),
    )
    return {"local": local, "lsh": hashed}


def around(c: Config) -> tuple[Component, ...]:
    return (
        Norm("attention.layer_norm", width=c.hidden_size, bias=True),
        FFN(
            "feed_forward",
            width=c.hidden_size,
            hidden=c.feed_forward_size,
            activation=c.hidden_act,
            bias=True,
            up="dense.dense",
            down="output.dense",
        ),
        Norm("feed_forward.layer_norm", width=c.hidden_size, bias=True),
    )


def head(c: Config, task: Task) -> tuple[Component, ...]:
    """What stands on the two halves of the residual; a language model stores its bias twice."""
    width, out = 2 * c.hidden_size, labels(c.num_labels, c.id2label, 2)
    if task is Task.QUESTION_ANSWERING:
        return (Linear("qa_outputs", width=width, out=out, bias=True),)
    if task is Task.SEQUENCE_CLASSIFICATION:
        return (
            Linear("classifier.dense", width=width, out=c.hidden_size, bias=True, once=True),
            Linear("classifier.out_proj", width=c.hidden_size, out=out, bias=True, once=True),
        )
    return (
        Vector("lm_head.bias", width=c.vocab_size, role=Role.HEAD),
        Linear("lm_head.decoder", width=width, out=c.vocab_size, bias=True),
    )
