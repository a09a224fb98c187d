"""GLM-4.1V, GLM-4.5V and GLM-OCR: GLM-4 or GLM-4.5 with a vision tower that ends in the width of the language model.

Source: arXiv:2507.01006, transformers models/{glm4v,glm4v_moe,glm_ocr}.
"""

from __future__ import annotations

from ffncalc.architectures._composite import INSIDE, FlatConfig, base, composite, text_model, tower
from ffncalc.ir import Model


class Config(FlatConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default=f"{c.model_type}_text", fixed=True, either=True, prefix=c.text_prefix)
    vision = tower(c.vision_config, f"{base(c)}visual.", default=f"{c.model_type}_vision", fixed=True)
    return composite(c, text, [vision])
