"""GIT: a CLIP tower whose patches stand before the words of a small BERT that writes.

Source: arXiv:2205.14100, transformers models/git.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import composite, projector, tower
from ffncalc.architectures._encoder import (
    BERT_NAMES,
    WORDS,
    EncoderConfig,
    embeddings,
    feed_forward,
    self_attention,
)
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import Count


class Config(EncoderConfig):
    vision_config: dict[str, Any] | None = None
    num_image_with_embedding: Count | None = None


def build(c: Config) -> Model:
    bare = task_of(c.architecture, Task.CAUSAL_LM) is Task.BASE
    dot, width = "" if bare else "git.", c.hidden_size
    parts: tuple[Component, ...] = (
        self_attention(c, "attention", BERT_NAMES),
        Norm("attention.output.LayerNorm", width=width, bias=True),
        *feed_forward(c),
    )
    tied = f"{dot}{WORDS}.weight" if c.tie_word_embeddings else ""
    head = Linear("output", width=width, out=c.vocab_size, bias=True, tied=tied)
    text = Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            Block(dot.removesuffix("."), embeddings(c, types=False)),
            *layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts),
            *(() if bare else (Block("", (head,)),)),
        ),
        max_context=c.max_position_embeddings,
    )
    vision = tower(c.vision_config, f"{dot}image_encoder.", default="git_vision_model", fixed=True)
    frames = range(c.num_image_with_embedding or 0)
    return composite(
        c,
        text,
        [vision],
        projector(
            dot.removesuffix("."),
            Linear("visual_projection.visual_projection.0", width=vision.width, out=width, role=Role.OTHER, bias=True),
            Norm("visual_projection.visual_projection.1", width=width, bias=True),
            *(Array(f"img_temporal_embedding.{i}", shape=(1, 1, vision.width)) for i in frames),
        ),
    )
