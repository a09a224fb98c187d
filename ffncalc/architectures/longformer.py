"""Longformer: RoBERTa whose tokens attend within windows, and a few of them everywhere.

Source: arXiv:2004.05150, transformers models/longformer.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import embeddings, encoder, feed_forward, pooler
from ffncalc.architectures.led import widths
from ffncalc.components.longformer import LongformerAttention
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import Size


class Config(bert.Config):
    attention_window: Size | list[Size] = 512


def build(c: Config) -> Model:
    windows = widths(c.key("attention_window"), c.attention_window, c.num_hidden_layers)
    after = (Norm("attention.output.LayerNorm", width=c.hidden_size, bias=True), *feed_forward(c))
    parts: dict[int, tuple[Component, ...]] = {w: (attention(c, w), *after) for w in dict.fromkeys(windows)}

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts[windows[i]], causal=False)

    return encoder(
        c,
        stack,
        base="longformer",
        before=embeddings(c),
        pooler=(pooler(c),),
        heads=bert.heads(c, bert.Row(base="longformer")),
    )


def attention(c: Config, window: int) -> LongformerAttention:
    return LongformerAttention(
        "attention", width=c.hidden_size, heads=c.num_attention_heads, head_dim=c.head_size, window=window
    )
