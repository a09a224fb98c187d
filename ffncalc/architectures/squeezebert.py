"""SqueezeBERT: BERT whose linear maps are grouped convolutions over single positions.

Source: arXiv:2006.11316, transformers models/squeezebert.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import Head, embeddings, encoder, linear_head, pooler
from ffncalc.architectures._task import Task
from ffncalc.components.ffn import FFN
from ffncalc.components.grouped_attention import GroupedAttention
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Model, layers
from ffncalc.schema import Size


class Config(bert.Config):
    embedding_size: Size = 768
    q_groups: Size = 4
    k_groups: Size = 4
    v_groups: Size = 4
    post_attention_groups: Size = 1
    intermediate_groups: Size = 4
    output_groups: Size = 4


ROW = bert.Row(base="transformer", roberta_heads=False)


def build(c: Config) -> Model:
    attention = GroupedAttention(
        "",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_size,
        groups=(c.q_groups, c.k_groups, c.v_groups, c.post_attention_groups),
    )
    ffn = FFN(
        "",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=True,
        up="intermediate.conv1d",
        down="output.conv1d",
        groups=(c.intermediate_groups, c.output_groups),
    )
    parts = (
        attention,
        Norm("post_attention.layernorm", width=c.hidden_size, bias=True),
        ffn,
        Norm("output.layernorm", width=c.hidden_size, bias=True),
    )

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layers.{{}}", c.num_hidden_layers, lambda i: parts, causal=False)

    return encoder(
        c, stack, base=ROW.base, before=embeddings(c, width=c.embedding_size), pooler=(pooler(c),), heads=heads(c)
    )


def heads(c: Config) -> dict[Task, Head]:
    """BERT's, all of which keep the pooler."""
    found = bert.heads(c, ROW)
    found[Task.QUESTION_ANSWERING] = Head(parts=(linear_head(c, "qa_outputs", c.labels),))
    return {task: replace(head, pooler=True) for task, head in found.items()}
