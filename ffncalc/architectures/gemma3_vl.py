"""Gemma 3 with vision: a SigLIP tower, average pooling, one projection without a bias.

Source: arXiv:2503.19786, transformers models/gemma3.
"""

from __future__ import annotations

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.media import Array
from ffncalc.components.norm import Norm
from ffncalc.ir import Model, Use


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="gemma3_text", fixed=True)
    vision = tower(c.vision_config, "vision_tower.", default="siglip_vision_model")
    return composite(
        c,
        text,
        [vision],
        projector(
            "multi_modal_projector",
            Array("mm_input_projection_weight", shape=(vision.width, text.width), use=Use.MATMUL),
            Norm("mm_soft_emb_norm", width=vision.width),
        ),
    )
