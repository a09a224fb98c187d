"""XLNet: relative positions, norms after each sublayer, trained to predict tokens in any order.

Source: arXiv:1906.08237, transformers models/xlnet.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import EncoderConfig, Head, encoder, linear_head, token_heads
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.components.relative_attention import RelativeAttention
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import Count, Size


class Config(EncoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "intermediate_size": ("d_inner",),
        "hidden_act": ("ff_activation",),
    }
    max_position_embeddings: Size | None = None  # type: ignore[assignment]  # any length
    type_vocab_size: Count = 0
    summary_use_proj: bool = True


def build(c: Config) -> Model:
    ffn = FFN(
        "ff",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="layer_1",
        down="layer_2",
    )
    parts = (
        RelativeAttention("rel_attn", width=c.hidden_size, heads=c.num_attention_heads, head_dim=c.head_size),
        Norm("rel_attn.layer_norm", width=c.hidden_size, bias=True),
        ffn,
        Norm("ff.layer_norm", width=c.hidden_size, bias=True),
    )

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=False)

    return encoder(
        c,
        stack,
        base="transformer",
        before=(
            Array("mask_emb", shape=(1, 1, c.hidden_size), role=Role.TOKEN),
            Embedding("word_embedding", rows=c.vocab_size, width=c.hidden_size),
        ),
        heads=heads(c),
    )


def heads(c: Config) -> dict[Task, Head]:
    table = "transformer.word_embedding.weight" if c.tie_word_embeddings else ""
    words = Linear("lm_loss", width=c.hidden_size, out=c.vocab_size, bias=True, tied=table)
    summary = (linear_head(c, "sequence_summary.summary", c.hidden_size),) if c.summary_use_proj else ()
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=(words,)),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(*summary, linear_head(c, "logits_proj", c.labels))),
        Task.MULTIPLE_CHOICE: Head(parts=(*summary, linear_head(c, "logits_proj", 1))),
        Task.QUESTION_ANSWERING: Head(parts=answering(c)),
        Task.SIMPLE_ANSWERING: Head(parts=(linear_head(c, "qa_outputs", c.labels),)),
    }


def answering(c: Config) -> tuple[Component, ...]:
    """Scores of starts, of ends given the start, and of there being an answer."""
    width = c.hidden_size
    return (
        linear_head(c, "start_logits.dense", 1),
        Linear("end_logits.dense_0", width=2 * width, out=width, bias=True),
        Norm("end_logits.LayerNorm", width=width, bias=True),
        linear_head(c, "end_logits.dense_1", 1),
        Linear("answer_class.dense_0", width=2 * width, out=width, bias=True, once=True),
        Linear("answer_class.dense_1", width=width, out=1, once=True),
    )
