"""The frame of an encoder: embeddings, layers, pooler, and what the class named in `architectures` puts on top.

A token attends the whole text, so the layers are not causal and keep nothing for a next token. The pooler serves no
language model: its role is `other`. Transforms before a head belong to the head. Poolers and sentence classifiers run
once for a text, so they cost a token nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.record import record
from ffncalc.schema import BaseConfig, Count, Depth, Size

WORDS = "embeddings.word_embeddings"
SENTENCES = (Task.SEQUENCE_CLASSIFICATION, Task.MULTIPLE_CHOICE, Task.NEXT_SENTENCE)  # their heads read one vector


class EncoderConfig(BaseConfig):
    """Fields that most encoders have. Defaults that differ by family are in defaults.json."""

    vocab_size: Size
    hidden_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    intermediate_size: Size
    hidden_act: str = "gelu"
    max_position_embeddings: Size = 512
    type_vocab_size: Count = 2
    tie_word_embeddings: bool = True
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None

    @property
    def head_size(self) -> int:
        """hidden_size / num_attention_heads.

        Raises:
            ConfigError: it is no integer.
        """
        return divided(self, "hidden_size", "num_attention_heads")

    @property
    def labels(self) -> int:
        """Classes of a classification head."""
        return labels(self.num_labels, self.id2label, 2)


def labels(number: int | None, names: Mapping[str, Any] | None, otherwise: int) -> int:
    """Classes of a classification head: as the file says, or as many as it names, or the class default."""
    return number or (len(names) if names else otherwise)


@record(frozen=True, kw_only=True)
class Head:
    """What a class has on top of its base model, and whether that keeps its pooler."""

    parts: tuple[Component, ...] = ()
    pooler: bool = False


def encoder(
    c: EncoderConfig,
    stack: Callable[[str], Iterable[Block]],
    *,
    base: str,
    before: tuple[Component, ...],
    heads: Mapping[Task, Head],
    after: tuple[Component, ...] = (),
    pooler: tuple[Component, ...] = (),
) -> Model:
    """An encoder; `stack` gives its layers under a prefix that ends in a dot, or is empty.

    A bare class drops `base` from all names. A class that `heads` lacks counts as the masked-LM one.
    """
    task = task_of(c.architecture, Task.MASKED_LM)
    head = heads.get(task, heads[Task.MASKED_LM])
    parts = once(head.parts) if task in SENTENCES else head.parts
    root = "" if task is Task.BASE else base
    tail = (*after, *(once(pooler) if head.pooler else ()))
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(
            Block(root, before, causal=False),
            *stack(f"{root}." if root else ""),
            *((Block(root, tail, causal=False),) if tail else ()),
            *((Block("", parts, causal=False),) if parts else ()),
        ),
        max_context=c.max_position_embeddings,
    )


def once(parts: tuple[Component, ...]) -> tuple[Component, ...]:
    """The same parts, their linear maps run once for a text."""
    return tuple(replace(part, once=True) if isinstance(part, Linear) else part for part in parts)


def embeddings(c: EncoderConfig, *, width: int | None = None, types: bool = True) -> tuple[Component, ...]:
    """Word, position and segment tables and their norm, as BERT names them; `width` where it is not the model's."""
    width = width or c.hidden_size
    positions = Embedding(
        "embeddings.position_embeddings", rows=c.max_position_embeddings, width=width, role=Role.POSITION
    )
    segments = Embedding("embeddings.token_type_embeddings", rows=c.type_vocab_size, width=width, role=Role.TYPE)
    return (
        Embedding(WORDS, rows=c.vocab_size, width=width),
        positions,
        *((segments,) if types else ()),
        Norm("embeddings.LayerNorm", width=width, bias=True),
    )


def self_attention(c: EncoderConfig, name: str, names: Projections, *, bias: bool = True) -> Attention:
    """Attention with as many key/value heads as heads, and biases everywhere."""
    return Attention(
        name,
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.head_size,
        qkv_bias=bias,
        out_bias=True,
        names=names,
    )


BERT_NAMES = Projections(q="self.query", k="self.key", v="self.value", o="output.dense")


def feed_forward(c: EncoderConfig) -> tuple[Component, ...]:
    """BERT's FFN, whose two matrices sit in modules of their own, and the norm after it."""
    ffn = FFN(
        "",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="intermediate.dense",
        down="output.dense",
    )
    return ffn, Norm("output.LayerNorm", width=c.hidden_size, bias=True)


def language_model(
    c: EncoderConfig, name: str, table: str, *, width: int | None = None, dense: str = "dense", norm: str = "layer_norm"
) -> tuple[Component, ...]:
    """A masked-LM head: transform, norm, and a decoder tied to `table` whose bias is stored under two names."""
    width = width or c.hidden_size
    tied = c.tie_word_embeddings
    return (
        Vector(f"{name}.bias", width=c.vocab_size, role=Role.HEAD),
        Linear(f"{name}.{dense}", width=c.hidden_size, out=width, bias=True),
        Norm(f"{name}.{norm}", width=width, bias=True),
        Linear(
            f"{name}.decoder",
            width=width,
            out=c.vocab_size,
            bias=True,
            tied=table if tied else "",
            tied_bias=f"{name}.bias" if tied else "",
        ),
    )


def linear_head(c: EncoderConfig, name: str, out: int, *, bias: bool = True, once: bool = False) -> Linear:
    """A classifier on the width of the model; `once`: of one vector for the text."""
    return Linear(name, width=c.hidden_size, out=out, bias=bias, once=once)


def two_layer_head(c: EncoderConfig) -> tuple[Component, ...]:
    """RoBERTa's sentence classifier: a square map, then the labels."""
    return linear_head(c, "classifier.dense", c.hidden_size), linear_head(c, "classifier.out_proj", c.labels)


def token_heads(c: EncoderConfig) -> dict[Task, Head]:
    """The heads that read every token; all families name them alike."""
    return {
        Task.TOKEN_CLASSIFICATION: Head(parts=(linear_head(c, "classifier", c.labels),)),
        Task.QUESTION_ANSWERING: Head(parts=(linear_head(c, "qa_outputs", c.labels),)),
    }


def pooler(c: EncoderConfig, name: str = "pooler.dense") -> Linear:
    """The square map that reads the first token."""
    return Linear(name, width=c.hidden_size, out=c.hidden_size, role=Role.OTHER, bias=True)
