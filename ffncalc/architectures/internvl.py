"""InternVL: its own ViT, patches merged by pixel shuffle, a projector of two layers, any language model.

Source: arXiv:2504.10479, transformers models/internvl.
"""

from __future__ import annotations

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Model, Role
from ffncalc.schema import Ratio


class Config(CompositeConfig):
    downsample_ratio: Ratio = 0.5


def build(c: Config) -> Model:
    if not 0 < c.downsample_ratio <= 1:
        raise ConfigError(f"{c.key('downsample_ratio')}: must be in (0, 1], got {shown(c.downsample_ratio)}")
    text = text_model(c, NESTED, default="qwen2")
    vision = tower(c.vision_config, "vision_tower.", default="internvl_vision", fixed=True)
    merged = vision.width * int(1 / c.downsample_ratio) ** 2
    return composite(
        c,
        text,
        [vision],
        projector(
            "multi_modal_projector",
            Norm("layer_norm", width=merged, bias=True),
            Linear("linear_1", width=merged, out=text.width, role=Role.OTHER, bias=True),
            Linear("linear_2", width=text.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
