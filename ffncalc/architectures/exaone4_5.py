"""EXAONE 4.5: EXAONE 4 with Qwen2.5-VL's vision tower, whose heads share keys and values.

Source: transformers models/exaone4_5.
"""

from __future__ import annotations

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, text_model, tower
from ffncalc.ir import Model


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    text_config = c.text_config
    if text_config.get("model_type") == "exaone4_5_text":  # what the first files called it
        text_config = {**text_config, "model_type": "exaone4"}
    text = text_model(c.replace(text_config=text_config), INSIDE, default="exaone4")
    vision = tower(c.vision_config, f"{base(c)}visual.", default="exaone4_5_vision", fixed=True)
    return composite(c, text, [vision])
