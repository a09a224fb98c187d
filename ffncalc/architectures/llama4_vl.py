"""Llama 4 with vision: a ViT, one linear map, a mixture-of-experts decoder.

Source: https://ai.meta.com/blog/llama-4-multimodal-intelligence/, transformers models/llama4.
"""

from __future__ import annotations

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="llama4_text", fixed=True)
    vision = tower(c.vision_config, "vision_model.", default="llama4_vision_model", fixed=True)
    linear = Linear("linear_1", width=vision.width, out=text.width, role=Role.OTHER)
    return composite(c, text, [vision], projector("multi_modal_projector", linear))
