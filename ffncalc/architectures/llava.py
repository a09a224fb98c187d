"""LLaVA and its kin: a CLIP or SigLIP (or Pixtral) tower, a projector of two layers, any language model.

Video-LLaVA has a tower for images and an equal one for films; ViP-LLaVA norms the layers it reads; LLaVA-NeXT-Video
pools the patches of a film.

Sources: arXiv:2304.08485, arXiv:2408.03326 (LLaVA-OneVision), arXiv:2311.10122 (Video-LLaVA), arXiv:2312.00784
(ViP-LLaVA); transformers models/{llava,llava_next,llava_next_video,llava_onevision,video_llava,vipllava}.
"""

from __future__ import annotations

from typing import Any, Literal

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array, Convolution
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    aliases = {"vision_feature_layer": ("vision_feature_layers",)}
    vision_feature_layer: int | list[int] = -2
    multimodal_projector_bias: bool = True
    spatial_pool_mode: Literal["average", "max", "conv"] = "average"
    spatial_pool_stride: Size = 2
    spatial_pool_out_channels: Size | None = None  # none: the width of the tower


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


# The tie flag of these: one that is true is enough, wherever it stands.
EITHER = ("llava", "llava_next_video", "llava_onevision")


def build(c: Config) -> Model:
    one = c.model_type == "llava_onevision"
    text = text_model(c, NESTED, default="qwen2" if one else "llama", either=c.model_type in EITHER)
    names = ("image_tower.", "video_tower.") if c.model_type == "video_llava" else ("vision_tower.",)
    towers = [tower_of(c, name) for name in names]
    return composite(c, text, towers, *between(c, towers[0], text), projection(c, towers[0], text))


def tower_of(c: Config, name: str) -> Model:
    one = c.model_type == "llava_onevision"
    absent = SIGLIP_SO if one else CLIP_L
    return tower(
        c.vision_config,
        name,
        default="siglip_vision_model" if one else "clip_vision_model",
        absent=absent | {"image_size": 224} if c.model_type == "video_llava" else absent,
    )


def between(c: Config, vision: Model, text: Model) -> tuple[Block, ...]:
    """What stands beside the projector: the separator of image rows, and a pooling that is learned."""
    newline = projector("", Array("image_newline", shape=(text.width,)))
    if c.model_type in ("llava_next", "llava_onevision"):
        return (newline,)
    if c.model_type != "llava_next_video":
        return ()
    stride = (c.spatial_pool_stride, c.spatial_pool_stride)
    out = c.spatial_pool_out_channels or vision.width
    pool = Convolution("pool", channels=vision.width, out=out, kernel=stride, bias=True)
    return (newline, *((projector("vision_resampler", pool),) if c.spatial_pool_mode == "conv" else ()))


def projection(c: Config, vision: Model, text: Model) -> Block:
    width = vision.width * feature_layers(c.key("vision_feature_layer"), c.vision_feature_layer)
    bias = c.multimodal_projector_bias or c.model_type == "vipllava"
    return projector(
        "multi_modal_projector",
        *(norms(width, "projector_layernorm") if c.model_type == "vipllava" else ()),
        Linear("linear_1", width=width, out=text.width, role=Role.OTHER, bias=bias),
        Linear("linear_2", width=text.width, out=text.width, role=Role.OTHER, bias=bias),
    )


def feature_layers(key: str, layers: int | list[int]) -> int:
    """How many layers of the tower the projector reads.

    Raises:
        ConfigError: none.
    """
    count = 1 if isinstance(layers, int) else len(layers)
    if not count:
        raise ConfigError(f"{key}: names no layer")
    return count
