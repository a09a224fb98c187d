"""ESM Cambrian, a protein language model: a Llama that sees later tokens too, with norms of all queries and keys.

The norms before the sublayers have biases; the head has a transform, and is no copy of the embedding.
Source: https://huggingface.co/biohub/ESMC-6B, transformers models/esmc.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import FULL, Block, Component, Model, layers

ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", qk_norm="all")


class Config(dense.Config):
    pass


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.MASKED_LM)
    base = "" if task is Task.BASE else "esmc"
    dot, width = f"{base}." if base else "", c.hidden_size
    parts = (dense.attention(c, ROW, FULL), dense.feed_forward(c, ROW), *norms(c, *ROW.norms, bias=True))
    embed = Embedding("embed_tokens", rows=c.vocab_size, width=width)
    tied = f"{dot}embed_tokens.weight" if c.tie_word_embeddings else ""
    head = heads(c, task, tied)
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            Block(base, (embed,), causal=False),
            *layers(f"{dot}layers.{{}}", c.num_hidden_layers, lambda i: parts, causal=False),
            Block(base, norms(c, "norm"), causal=False),
            *((Block("", head, causal=False),) if head else ()),
        ),
        max_context=c.max_position_embeddings,
    )


def heads(c: Config, task: Task, tied: str) -> tuple[Component, ...]:
    width = c.hidden_size
    if task is Task.BASE:
        return ()
    if task is Task.SEQUENCE_CLASSIFICATION:
        return (
            Linear("classifier.dense", width=width, out=width, bias=True, once=True),
            Linear("classifier.out_proj", width=width, out=c.labels, bias=True, once=True),
        )
    if task is Task.TOKEN_CLASSIFICATION:
        return (Linear("score", width=width, out=c.labels, bias=True),)
    return (
        Linear("lm_head.dense", width=width, out=width, bias=True),
        Norm("lm_head.layer_norm", width=width, bias=True),
        Linear("lm_head.decoder", width=width, out=c.vocab_size, bias=True, tied=tied),
    )
