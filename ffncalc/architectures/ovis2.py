"""Ovis 2: a tower that turns patches into mixtures of visual words, a table of these, a Qwen 2.

Source: arXiv:2405.20797, transformers models/ovis2.
"""

from __future__ import annotations

from ffncalc.architectures import ovis2_vision
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
from ffncalc.components.embedding import Embedding
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(CompositeConfig):
    hidden_size: Size = 1536  # of the table of visual words


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="qwen2")
    own = {**(c.vision_config or {}), "model_type": "ovis2_vision"}
    vision = tower(own, f"{base(c)}vision_tower.", default="ovis2_vision", fixed=True)
    words = part(ovis2_vision.Config, own, "ovis2_vision").vocab_size
    table = Embedding("visual_embeddings_table", rows=words, width=c.hidden_size)
    return composite(c, text, [vision], projector(base(c).removesuffix("."), table))
