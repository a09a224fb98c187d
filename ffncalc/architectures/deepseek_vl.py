"""DeepSeek-VL: a SigLIP tower, an aligner of two layers, a Llama.

Source: arXiv:2403.05525, transformers models/deepseek_vl.
"""

from __future__ import annotations

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="llama")
    vision = tower(c.vision_config, f"{base(c)}vision_model.", default="siglip_vision_model")
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
