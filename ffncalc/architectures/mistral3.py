"""Mistral 3 with vision, and LightOnOCR: a Pixtral tower, patches merged by a linear map, a projector of two layers.

Sources: https://mistral.ai/news/mistral-small-3-1, https://huggingface.co/lightonai/LightOnOCR-1B-1025;
transformers models/{mistral3,lighton_ocr}.
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
from ffncalc.architectures.llava import feature_layers
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    vision_feature_layer: int | list[int] = -1
    multimodal_projector_bias: bool = False
    spatial_merge_size: Size = 2


PIXTRAL: dict[str, Any] = {"patch_size": 14, "image_size": 1540}  # the rest as in the class


LIGHTON: dict[str, Any] = {**PIXTRAL, "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24}


def build(c: Config) -> Model:
    if c.model_type == "lighton_ocr":
        root, text = base(c), text_model(c, INSIDE, default="qwen3")
        vision = tower(c.vision_config, f"{root}vision_encoder.", default="pixtral", absent=LIGHTON)
        return composite(c, text, [vision], projection(c, f"{root}vision_projection", vision, text))
    text = text_model(c, NESTED, default="mistral")
    vision = tower(c.vision_config, "vision_tower.", default="pixtral", absent=PIXTRAL)
    return composite(c, text, [vision], projection(c, "multi_modal_projector", vision, text))


def projection(c: Config, name: str, vision: Model, text: Model) -> Block:
    square = c.spatial_merge_size * c.spatial_merge_size
    count = feature_layers(c.key("vision_feature_layer"), c.vision_feature_layer)
    bias = c.multimodal_projector_bias
    return projector(
        name,
        Norm("norm", width=vision.width),
        Linear("patch_merger.merging_layer", width=vision.width * square, out=vision.width, role=Role.OTHER),
        Linear("linear_1", width=vision.width * count, out=text.width, role=Role.OTHER, bias=bias),
        Linear("linear_2", width=text.width, out=text.width, role=Role.OTHER, bias=bias),
    )
