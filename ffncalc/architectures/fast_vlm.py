"""FastVLM: a FastViT tower, a projector of two layers, a Qwen 2.

Source: arXiv:2412.13303, transformers models/fast_vlm.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import fastvit
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
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    multimodal_projector_bias: bool = True


FASTVIT: dict[str, Any] = {"architecture": fastvit.NETWORK, "hidden_size": 3072, "model_args": {"inference_mode": True}}


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="qwen2", either=True)
    own = {**(FASTVIT if c.vision_config is None else c.vision_config), "model_type": "timm_wrapper"}
    vision = tower(own, f"{base(c)}vision_tower.timm_model.", default="timm_wrapper")
    width = part(fastvit.Config, own, "timm_wrapper").hidden_size
    bias = c.multimodal_projector_bias
    return composite(
        c,
        text,
        [vision],
        projector(
            f"{base(c)}multi_modal_projector",
            Linear("linear_1", width=width, out=text.width, role=Role.OTHER, bias=bias),
            Linear("linear_2", width=text.width, out=text.width, role=Role.OTHER, bias=bias),
        ),
    )
