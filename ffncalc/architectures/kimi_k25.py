"""Kimi K2.5: MoonViT, a projector of two layers on merged patches, and Kimi K2 (DeepSeek-V3's structure).

Source: arXiv:2602.02276, transformers models/kimi_k25.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    projection_hidden_size: Size | None = None  # published files have it in their vision config, as mm_hidden_size


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="deepseek_v3")
    own = c.vision_config or {}
    vision = tower(own, "vision_tower.", default="kimi_k25_vision", fixed=True)
    merged = vision.width * square(own)
    return composite(
        c,
        text,
        [vision],
        projector(
            "mm_projector",
            Norm("pre_norm", width=c.projection_hidden_size or vision.width, bias=True),
            Linear("proj.0", width=merged, out=merged, role=Role.OTHER, bias=True),
            Linear("proj.2", width=merged, out=text.width, role=Role.OTHER, bias=True),
        ),
    )


def square(vision: dict[str, Any]) -> int:
    """How many patches are merged into one.

    Raises:
        ConfigError: the kernel is no pair of positive integers.
    """
    kernel = vision.get("merge_kernel_size") or [2, 2]
    if not (isinstance(kernel, list) and len(kernel) == 2 and all(type(n) is int and n > 0 for n in kernel)):
        raise ConfigError(f"vision_config.merge_kernel_size: must be two positive integers, got {shown(kernel)}")
    return int(kernel[0] * kernel[1])
