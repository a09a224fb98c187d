"""Idefics3 and SmolVLM: a SigLIP-like tower, patches merged by pixel shuffle, one linear map, a Llama.

Sources: arXiv:2408.12637, arXiv:2504.05299 (SmolVLM); transformers models/{idefics3,smolvlm}.
"""

from __future__ import annotations

from ffncalc.architectures._composite import (
    CompositeConfig,
    Names,
    base,
    composite,
    projector,
    text_model,
    tower,
)
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role
from ffncalc.schema import Size

NAMES = Names(head={"model.": "model.text_model."}, bare="text_model.")


class Config(CompositeConfig):
    scale_factor: Size = 2


def build(c: Config) -> Model:
    text = text_model(c, NAMES, default="llama")
    vision = tower(c.vision_config, f"{base(c)}vision_model.", default=f"{c.model_type}_vision", fixed=True)
    merged = vision.width * c.scale_factor * c.scale_factor
    proj = Linear("modality_projection.proj", width=merged, out=text.width, role=Role.OTHER)
    return composite(c, text, [vision], projector(f"{base(c)}connector", proj))
