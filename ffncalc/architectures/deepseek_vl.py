"""DeepSeek-VL: a SigLIP tower, an aligner of two layers, a Llama; the hybrid adds SAM's encoder for high resolution.

Source: arXiv:2403.05525, transformers models/deepseek_vl and models/deepseek_vl_hybrid.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import sam_vision
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
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Block, Model, Role

HIGH = "high_res_vision_config."


class Config(CompositeConfig):
    high_res_vision_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="llama")
    vision = tower(c.vision_config, f"{base(c)}vision_model.", default="siglip_vision_model")
    if c.model_type == "deepseek_vl_hybrid":
        high = tower(c.high_res_vision_config, f"{base(c)}high_res_vision_model.", default="sam_vision_model", key=HIGH)
        return composite(c, text, [vision, high], *hybrid(c, vision, text))
    return composite(
        c,
        text,
        [vision],
        projector(
            f"{base(c)}aligner",
            Linear("linear1", width=vision.width, out=text.width, role=Role.OTHER, bias=True),
            Linear("linear2", width=text.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )


def hybrid(c: Config, vision: Model, text: Model) -> tuple[Block, ...]:
    """Both towers side by side: another neck for what SAM's full layers see, and a learned weight of it."""
    sam = part(sam_vision.Config, c.high_res_vision_config, "sam_vision_model", key=HIGH)
    seen, half = sam.output_channels, text.width // 2
    return (
        projector(
            base(c).removesuffix("."),
            *sam_vision.neck("high_res_vision_neck", sam.hidden_size, seen),
            Convolution("high_res_vision_proj.conv1", channels=seen, out=2 * seen, kernel=(3, 3)),
            Convolution("high_res_vision_proj.conv2", channels=2 * seen, out=4 * seen, kernel=(3, 3)),
            Array("high_res_vision_alpha", shape=(1,)),
        ),
        projector(
            f"{base(c)}aligner",
            Linear("vision_proj", width=vision.width, out=half, role=Role.OTHER, bias=True),
            Linear("high_res_vision_proj", width=4 * seen, out=half, role=Role.OTHER, bias=True),
            Linear("proj", width=2 * half, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
