"""LLaVA and its kin: a CLIP or SigLIP (or Pixtral) tower, a projector of two layers, any language model.

Sources: arXiv:2304.08485, arXiv:2408.03326 (LLaVA-OneVision); transformers models/{llava,llava_next,llava_onevision}.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, Role


class Config(CompositeConfig):
    vision_feature_layer: int | list[int] = -2
    multimodal_projector_bias: bool = True


CLIP_L: dict[str, Any] = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "patch_size": 14,
    "image_size": 336,
}
SIGLIP_SO: dict[str, Any] = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 26,
    "num_attention_heads": 16,
    "patch_size": 14,
    "image_size": 384,
    "vision_use_head": False,
}


def build(c: Config) -> Model:
    one = c.model_type == "llava_onevision"
    text = text_model(c, NESTED, default="qwen2" if one else "llama", either=c.model_type != "llava_next")
    vision = tower(
        c.vision_config,
        "vision_tower.",
        default="siglip_vision_model" if one else "clip_vision_model",
        absent=SIGLIP_SO if one else CLIP_L,
    )
    newline = () if c.model_type == "llava" else (projector("", Array("image_newline", shape=(text.width,))),)
    return composite(c, text, [vision], *newline, projection(c, vision, text))


def projection(c: Config, vision: Model, text: Model) -> Block:
    parts: tuple[Component, ...] = (
        Linear(
            "linear_1",
            width=vision.width * feature_layers(c.key("vision_feature_layer"), c.vision_feature_layer),
            out=text.width,
            role=Role.OTHER,
            bias=c.multimodal_projector_bias,
        ),
        Linear("linear_2", width=text.width, out=text.width, role=Role.OTHER, bias=c.multimodal_projector_bias),
    )
    return projector("multi_modal_projector", *parts)


def feature_layers(key: str, layers: int | list[int]) -> int:
    """How many layers of the tower the projector reads.

    Raises:
        ConfigError: none.
    """
    count = 1 if isinstance(layers, int) else len(layers)
    if not count:
        raise ConfigError(f"{key}: names no layer")
    return count
