"""CLIP and SigLIP as a whole: a tower for text and one for images, and what compares their outputs.

The text is what a token belongs to; the tower for images counts as multimodal.

Sources: arXiv:2103.00020, arXiv:2303.15343; transformers models/{clip,siglip}.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc import architectures
from ffncalc.architectures._composite import composite, projector, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.ir import Block, Model, Role
from ffncalc.schema import BaseConfig, Size


class Config(BaseConfig):
    text_config: dict[str, Any] | None = None
    vision_config: dict[str, Any] | None = None
    text_config_dict: dict[str, Any] | None = None  # older files: what counts over text_config
    vision_config_dict: dict[str, Any] | None = None
    projection_dim: Size = 512


def build(c: Config) -> Model:
    clip = c.model_type == "clip"
    raw = {**(c.text_config or {}), **(c.text_config_dict or {})}
    own = {**raw, "model_type": f"{c.model_type}_text_model", "architectures": None}
    text = architectures.build(own, prefix="text_config.", nested=True)
    seen = {**(c.vision_config or {}), **(c.vision_config_dict or {})}
    vision = tower(seen, "", default=f"{c.model_type}_vision_model", fixed=True)
    after = comparing(c, text) if clip else (Array("logit_scale", shape=(1,)), Array("logit_bias", shape=(1,)))
    whole = composite(c, text, [vision], *(projecting(c, vision) if clip else ()))
    return replace(whole, blocks=(*whole.blocks, Block("", after, causal=False)))


def projecting(c: Config, vision: Model) -> tuple[Block, ...]:
    return (projector("", Linear("visual_projection", width=vision.width, out=c.projection_dim, role=Role.OTHER)),)


def comparing(c: Config, text: Model) -> tuple[Linear | Array, ...]:
    """The map of the text into the space of both, and the temperature, a number."""
    linear = Linear("text_projection", width=text.width, out=c.projection_dim, role=Role.OTHER)
    return linear, Array("logit_scale", shape=())
