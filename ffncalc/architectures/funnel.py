"""Funnel Transformer: blocks of layers that each halve the length of the text, and a decoder that restores it.

Source: arXiv:2006.03236, transformers models/funnel.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._encoder import EncoderConfig, Head, encoder, linear_head, token_heads
from ffncalc.architectures._task import Task, task_of
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.components.relative_attention import FunnelAttention
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import Depth, Size

WITHOUT_DECODER = (Task.SEQUENCE_CLASSIFICATION, Task.MULTIPLE_CHOICE)


class Config(EncoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "num_attention_heads": ("n_head",),
        "intermediate_size": ("d_inner",),
    }
    num_hidden_layers: Depth | None = None  # type: ignore[assignment]  # from the blocks
    max_position_embeddings: Size | None = None  # type: ignore[assignment]  # any length
    d_head: Size = 64
    block_sizes: list[Depth] = [4, 4, 4]
    block_repeats: list[Depth] | None = None
    num_decoder_layers: Depth = 2


def build(c: Config) -> Model:
    parts = layer(c)
    task = task_of(c.architecture, Task.MASKED_LM)
    alone = task in WITHOUT_DECODER or c.architecture == "FunnelBaseModel"
    blocks = len(c.block_sizes)
    repeats = per_layer(c.key("block_repeats"), c.block_repeats or [1] * blocks, blocks)

    def stack(dot: str) -> tuple[Block, ...]:
        encoder_blocks = tuple(
            Block(f"{dot}encoder.blocks.{i}.{{}}", parts, indexes=tuple(range(size)), calls=times, causal=False)
            for i, (size, times) in enumerate(zip(c.block_sizes, repeats, strict=True))
        )
        if alone:
            return encoder_blocks
        return *encoder_blocks, *layers(
            f"{dot}decoder.layers.{{}}", c.num_decoder_layers, lambda i: parts, causal=False
        )

    words = Embedding("embeddings.word_embeddings", rows=c.vocab_size, width=c.hidden_size)
    norm = Norm("embeddings.layer_norm", width=c.hidden_size, bias=True)
    model = encoder(c, stack, base="funnel", before=(words, norm), heads=heads(c))
    note = "each block after the first runs on half as many tokens as the one before: its FLOPs count as if on all"
    return replace(model, notes=(note,))


def layer(c: Config) -> tuple[Component, ...]:
    return (
        FunnelAttention("attention", width=c.hidden_size, heads=c.num_attention_heads, head_dim=c.d_head),
        Norm("attention.layer_norm", width=c.hidden_size, bias=True),
        FFN(
            "ffn",
            width=c.hidden_size,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            bias=True,
            up="linear_1",
            down="linear_2",
        ),
        Norm("ffn.layer_norm", width=c.hidden_size, bias=True),
    )


def heads(c: Config) -> dict[Task, Head]:
    table = "funnel.embeddings.word_embeddings.weight" if c.tie_word_embeddings else ""
    below = linear_head(c, "classifier.linear_hidden", c.hidden_size)
    real = (
        linear_head(c, "discriminator_predictions.dense", c.hidden_size),
        linear_head(c, "discriminator_predictions.dense_prediction", 1),
    )
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=(Linear("lm_head", width=c.hidden_size, out=c.vocab_size, bias=True, tied=table),)),
        Task.PRETRAINING: Head(parts=real),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(below, linear_head(c, "classifier.linear_out", c.labels))),
        Task.MULTIPLE_CHOICE: Head(parts=(below, linear_head(c, "classifier.linear_out", 1))),
    }
