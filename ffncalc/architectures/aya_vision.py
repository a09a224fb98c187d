"""Aya Vision and Command A Vision: a SigLIP tower, patches merged by pixel shuffle, a gated projector, a Cohere 2.

Sources: arXiv:2505.08751 (Aya Vision), transformers models/{aya_vision,cohere2_vision}.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import (
    INSIDE,
    NESTED,
    CompositeConfig,
    base,
    composite,
    projector,
    text_model,
    tower,
)
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    downsample_factor: Size = 2
    alignment_intermediate_size: Size | None = None  # none: the width of the language model


SIGLIP: dict[str, dict[str, Any]] = {
    "aya_vision": {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 26,
        "num_attention_heads": 14,
        "patch_size": 14,
        "image_size": 384,
        "vision_use_head": False,
    },
    "cohere2_vision": {
        "hidden_size": 1152,
        "intermediate_size": 3072,
        "num_hidden_layers": 27,
        "num_attention_heads": 12,
        "image_size": 512,
    },
}


def build(c: Config) -> Model:
    aya = c.model_type == "aya_vision"
    root = "" if aya else base(c)
    text = text_model(c, NESTED if aya else INSIDE, default="cohere2")
    vision = tower(c.vision_config, f"{root}vision_tower.", default="siglip_vision_model", absent=SIGLIP[c.model_type])
    merged = vision.width * c.downsample_factor * c.downsample_factor
    hidden = c.alignment_intermediate_size or text.width
    return composite(
        c,
        text,
        [vision],
        projector(
            f"{root}multi_modal_projector",
            *(norms(merged, "layernorm") if aya else ()),
            Linear("linear_1", width=merged, out=hidden, role=Role.OTHER, bias=True),
            Linear("linear_2", width=hidden // 2, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
