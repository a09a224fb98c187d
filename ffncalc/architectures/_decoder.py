"""The frame of a decoder: embedding, layers, final norm, head; and the parts that most families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import BaseConfig, Count, Depth, Size


class StackConfig(BaseConfig):
    """Fields of a stack of layers that may lack attention. Defaults that differ by family are in defaults.json."""

    vocab_size: Size
    hidden_size: Size
    num_hidden_layers: Depth
    hidden_act: str = "silu"
    max_position_embeddings: Size | None = None
    tie_word_embeddings: bool = False
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None

    @property
    def labels(self) -> int:
        """Classes of a classification head."""
        return self.num_labels or (len(self.id2label) if self.id2label else 2)


class DecoderConfig(StackConfig):
    """Fields that most decoders have."""

    num_attention_heads: Size
    num_key_value_heads: Size | None = None
    head_dim: Size | None = None
    layer_types: list[str] | None = None
    sliding_window: Count | None = None

    @property
    def kv_heads(self) -> int:
        """Key/value heads; as many as query heads where the file has none."""
        return self.num_key_value_heads or self.num_attention_heads

    @property
    def head_size(self) -> int:
        """`head_dim`, or hidden_size / num_attention_heads where the file has none.

        Raises:
            ConfigError: there is none, and the heads do not divide the width.
        """
        if self.head_dim is not None:
            return self.head_dim
        return divided(self, "hidden_size", "num_attention_heads")

    @property
    def window(self) -> int | None:
        """`sliding_window`, where 0 and null mean none."""
        return self.sliding_window or None

    @property
    def labels(self) -> int:
        """Classes of a classification head."""
        return self.num_labels or (len(self.id2label) if self.id2label else 2)


def divided(c: BaseConfig, field: str, by: str) -> int:
    """`field` / `by`, which must divide it.

    Raises:
        ConfigError: naming both.
    """
    value, parts = getattr(c, field), getattr(c, by)
    if value % parts:
        raise ConfigError(
            f"{c.key(field)}: {value} is not divisible by {c.key(by)} {parts}",
            "Heads of another width need head_dim, where the class reads it.",
        )
    quotient: int = value // parts
    return quotient


def norms(c: StackConfig, *names: str, bias: bool = False) -> tuple[Norm, ...]:
    """Norms as wide as the model."""
    return tuple(Norm(name, width=c.hidden_size, bias=bias) for name in names)


def root(c: StackConfig, base: str) -> str:
    """The prefix of the names inside the base model, with its dot; "" where the class is the base model itself."""
    return "" if task_of(c.architecture, Task.CAUSAL_LM) is Task.BASE else f"{base}."


def decoder(
    c: StackConfig,
    layer: Callable[[int], tuple[Component, ...]],
    *,
    base: str = "model",
    bare: str = "",
    embed: str = "embed_tokens",
    embed_width: int | None = None,
    embed_rows: int | None = None,
    before: Sequence[Component] = (),
    stack: str = "layers",
    after: Sequence[Component] | None = None,
    head: str = "lm_head",
    head_bias: bool = False,
    classifier: str = "score",
    buffers: Sequence[Block] = (),
    mtp: Sequence[Block] = (),
    causal: bool = True,
) -> Model:
    """A decoder whose layer `i` has the parts `layer(i)`.

    `before` are parts between the embedding and the layers (positions, norms), `after` those between the layers and
    the head (an RMSNorm called `norm` unless given). The class named in `architectures` decides on the head; a bare
    class has `bare` in place of `base` in all names, as its checkpoint does. `embed_width` is the width of embedding
    and head where they are narrower than the layers, `embed_rows` are those of the embedding where the head has fewer;
    `classifier` names the head of a token classifier.
    """
    task = task_of(c.architecture, Task.CAUSAL_LM)
    root = bare if task is Task.BASE else base
    dot = f"{root}." if root else ""
    tail = norms(c, "norm") if after is None else tuple(after)
    width = embed_width or c.hidden_size
    embedding = Embedding(embed, rows=embed_rows or c.vocab_size, width=width)
    table = f"{dot}{embed}.weight"
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(
            Block(root, (embedding, *before)),
            *layers(f"{dot}{stack}.{{}}", c.num_hidden_layers, layer, causal=causal),
            *((Block(root, tail),) if tail else ()),
            *output(
                c,
                task,
                head=head,
                width=width,
                tied=table if c.tie_word_embeddings else "",
                bias=head_bias,
                classifier=classifier,
            ),
        ),
        mtp=tuple(mtp),
        max_context=c.max_position_embeddings,
    )


def output(
    c: StackConfig, task: Task, *, head: str, width: int, tied: str, bias: bool, classifier: str
) -> tuple[Block, ...]:
    """The block on top of a decoder: language-model head, classifier, or nothing."""
    parts: dict[Task, Component] = {
        Task.CAUSAL_LM: Linear(head, width=width, out=c.vocab_size, tied=tied, bias=bias),
        Task.SEQUENCE_CLASSIFICATION: Linear("score", width=width, out=c.labels),
        Task.TOKEN_CLASSIFICATION: Linear(classifier, width=width, out=c.labels, bias=True),
        Task.QUESTION_ANSWERING: Linear("qa_outputs", width=width, out=2, bias=True),
    }
    if task is Task.BASE:
        return ()
    return (Block("", (parts.get(task, parts[Task.CAUSAL_LM]),)),)
