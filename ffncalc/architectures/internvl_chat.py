"""InternVL's own checkpoints, of remote code: InternViT, a projector of two layers, any decoder in its own class.

Source: arXiv:2404.16821; modeling_internvl_chat.py of OpenGVLab/InternVL3-1B.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc import architectures
from ffncalc.architectures._composite import composite, projector, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Model, Role
from ffncalc.schema import BaseConfig, Ratio


class Config(BaseConfig):
    llm_config: dict[str, Any]
    vision_config: dict[str, Any]
    downsample_ratio: Ratio = 0.5


def build(c: Config) -> Model:
    """The whole.

    Raises:
        ConfigError: the ratio is no fraction of a side.
    """
    if not 0 < c.downsample_ratio <= 1:
        raise ConfigError(f"{c.key('downsample_ratio')}: must be in (0, 1], got {shown(c.downsample_ratio)}")
    alone = architectures.build({**c.llm_config, "architectures": None}, prefix="llm_config.", nested=True)
    text = replace(alone, blocks=tuple(block.moved({"": "language_model."}) for block in alone.blocks))
    vision = tower(c.vision_config, "vision_model.", default="intern_vit_6b")
    side = int(1 / c.downsample_ratio)
    merged = vision.width * side * side
    return composite(
        c,
        text,
        [vision],
        projector(
            "mlp1",
            Norm("0", width=merged, bias=True),
            Linear("1", width=merged, out=text.width, role=Role.OTHER, bias=True),
            Linear("3", width=text.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
