"""Janus: one tower that understands images, a tokenizer that draws them, and a Llama between both.

What turns codes into the language model's input and its output into codes counts as multimodal.

Source: arXiv:2410.13848, arXiv:2501.17811 (Janus-Pro); transformers models/janus.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import janus_vision, janus_vqgan
from ffncalc.architectures._composite import (
    INSIDE,
    CompositeConfig,
    base,
    composite,
    part,
    projector,
    text_model,
    tower,
)
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Component, Model, Role

SEEING, DRAWING = "janus_vision_model", "janus_vqgan"


class Config(CompositeConfig):
    vq_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    root = base(c)
    text = text_model(c, INSIDE, default="llama")
    seeing = tower(c.vision_config, f"{root}vision_model.", default=SEEING, fixed=True)
    drawing = tower(c.vq_config, f"{root}vqmodel.", default=DRAWING, fixed=True, key="vq_config.")
    seen = part(janus_vision.Config, {**(c.vision_config or {}), "model_type": SEEING}, SEEING)
    drawn = part(janus_vqgan.Config, {**(c.vq_config or {}), "model_type": DRAWING}, DRAWING, key="vq_config.")
    return composite(
        c,
        text,
        [seeing, drawing],
        projector(
            root.removesuffix("."),
            *aligner("aligner", seen.hidden_size, seen.projection_dim, seen.depth),
            Embedding("generation_embeddings", rows=drawn.num_embeddings, width=drawn.embed_dim),
            *aligner("generation_aligner", drawn.embed_dim, drawn.projection_dim, drawn.num_hidden_layers),
            mapped("generation_head.proj_out", drawn.image_token_embed_dim, drawn.projection_dim),
            mapped("generation_head.vision_head", drawn.projection_dim, drawn.num_embeddings),
        ),
    )


def aligner(name: str, width: int, out: int, depth: int) -> tuple[Component, ...]:
    """`depth` layers, the first of which changes the width."""
    hidden = (mapped(f"{name}.hidden_layers.{i}", out, out) for i in range(depth - 1))
    return (mapped(f"{name}.fc1", width, out), *hidden)


def mapped(name: str, width: int, out: int) -> Linear:
    return Linear(name, width=width, out=out, role=Role.OTHER, bias=True)
