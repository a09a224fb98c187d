"""ALBERT: narrow embeddings, and one group of layers that runs again and again.

Layer i runs group ⌊i × num_hidden_groups / num_hidden_layers⌋, each time all of its `inner_group_num` layers: their
weights count once, their FLOPs each time.
Source: arXiv:1909.11942, transformers models/albert.
"""

from __future__ import annotations

from collections import Counter

from ffncalc.architectures._encoder import (
    WORDS,
    EncoderConfig,
    Head,
    embeddings,
    encoder,
    language_model,
    linear_head,
    pooler,
    self_attention,
    token_heads,
)
from ffncalc.architectures._task import Task
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Model, Role
from ffncalc.schema import Depth, Few, Size


class Config(EncoderConfig):
    embedding_size: Size = 128
    num_hidden_groups: Depth = 1
    inner_group_num: Few = 1


def build(c: Config) -> Model:
    widen = Linear(
        "encoder.embedding_hidden_mapping_in", width=c.embedding_size, out=c.hidden_size, role=Role.OTHER, bias=True
    )
    return encoder(
        c,
        lambda dot: groups(c, dot),
        base="albert",
        before=(*embeddings(c, width=c.embedding_size), widen),
        pooler=(pooler(c, "pooler"),),
        heads=heads(c),
    )


def groups(c: Config, dot: str) -> tuple[Block, ...]:
    """One block for each inner layer and number of runs; groups that never run keep their weights."""
    ffn = FFN(
        "",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="ffn",
        down="ffn_output",
    )
    parts = (
        self_attention(c, "attention", Projections(q="query", k="key", v="value", o="dense")),
        Norm("attention.LayerNorm", width=c.hidden_size, bias=True),
        ffn,
        Norm("full_layer_layer_norm", width=c.hidden_size, bias=True),
    )
    count, depth = c.num_hidden_groups, c.num_hidden_layers
    runs = Counter(i * count // depth for i in range(depth))
    together: dict[int, list[int]] = {}
    for group in range(count):
        together.setdefault(runs[group], []).append(group)
    return tuple(
        Block(
            f"{dot}encoder.albert_layer_groups.{{}}.albert_layers.{inner}",
            parts,
            indexes=tuple(indexes),
            calls=calls,
            causal=False,
        )
        for calls, indexes in together.items()
        for inner in range(c.inner_group_num)
    )


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds; the masked-LM head works in the width of the embeddings."""
    words = language_model(c, "predictions", f"albert.{WORDS}.weight", width=c.embedding_size, norm="LayerNorm")
    order = linear_head(c, "sop_classifier.classifier", c.labels, once=True)
    return {
        **token_heads(c),
        Task.BASE: Head(pooler=True),
        Task.MASKED_LM: Head(parts=words),
        Task.PRETRAINING: Head(parts=(*words, order), pooler=True),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(linear_head(c, "classifier", c.labels),), pooler=True),
        Task.MULTIPLE_CHOICE: Head(parts=(linear_head(c, "classifier", 1),), pooler=True),
    }
