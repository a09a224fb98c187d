"""DistilBERT: BERT's layers without segments and pooler, under names of its own.

Source: arXiv:1910.01108, transformers models/distilbert.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import (
    WORDS,
    EncoderConfig,
    Head,
    embeddings,
    encoder,
    linear_head,
    self_attention,
    token_heads,
)
from ffncalc.architectures._task import Task
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Model, layers


class Config(EncoderConfig):
    aliases = {
        "hidden_size": ("dim",),
        "num_hidden_layers": ("n_layers",),
        "num_attention_heads": ("n_heads",),
        "intermediate_size": ("hidden_dim",),
        "hidden_act": ("activation",),
    }


def build(c: Config) -> Model:
    ffn = FFN(
        "ffn",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="lin1",
        down="lin2",
    )
    parts = (
        self_attention(c, "attention", Projections(q="q_lin", k="k_lin", v="v_lin", o="out_lin")),
        Norm("sa_layer_norm", width=c.hidden_size, bias=True),
        ffn,
        Norm("output_layer_norm", width=c.hidden_size, bias=True),
    )

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}transformer.layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=False)

    return encoder(c, stack, base="distilbert", before=embeddings(c, types=False), heads=heads(c))


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds; the sentence classifiers have a square map in place of a pooler."""
    table = f"distilbert.{WORDS}.weight" if c.tie_word_embeddings else ""
    first = linear_head(c, "pre_classifier", c.hidden_size)
    words = (
        linear_head(c, "vocab_transform", c.hidden_size),
        Norm("vocab_layer_norm", width=c.hidden_size, bias=True),
        Linear("vocab_projector", width=c.hidden_size, out=c.vocab_size, bias=True, tied=table),
    )
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=words),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(first, linear_head(c, "classifier", c.labels))),
        Task.MULTIPLE_CHOICE: Head(parts=(first, linear_head(c, "classifier", 1))),
    }
