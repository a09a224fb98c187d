"""PaliGemma: a SigLIP tower, one linear map, a Gemma.

Source: arXiv:2407.07726, arXiv:2412.03555 (PaliGemma 2), transformers models/paligemma.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    projection_dim: Size = 2048


SIGLIP_SO: dict[str, Any] = {
    "hidden_size": 1152,
    "intermediate_size": 4096,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "patch_size": 14,
    "image_size": 224,
    "vision_use_head": False,
}


def build(c: Config) -> Model:
    # Re-saved files set the flag: the image and the question see each other, but an answer is decoded token by token.
    c = c.replace(text_config={**c.text_config, "use_bidirectional_attention": False})
    text = text_model(c, NESTED, default="gemma")
    vision = tower(c.vision_config, "vision_tower.", default="siglip_vision_model", absent=SIGLIP_SO)
    linear = Linear("linear", width=vision.width, out=c.projection_dim, role=Role.OTHER, bias=True)
    return composite(c, text, [vision], projector("multi_modal_projector", linear))
