"""Step 3.7: a tower that halves its map of patches twice, one linear map, a Step 3.5.

Source: https://huggingface.co/stepfun-ai/Step-3.7-Flash, transformers models/step3p7.
"""

from __future__ import annotations

from ffncalc.architectures._composite import FLAT, CompositeConfig, bare, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    projector_bias: bool = False


def build(c: Config) -> Model:
    text = text_model(c, FLAT, default="step3p5", fixed=True)
    vision = tower(c.vision_config, "vision_model.", default="step3p5_vision", fixed=True)
    name = "multi_modal_projector" if bare(c) else "vit_large_projector"
    linear = Linear(name, width=4 * vision.width, out=text.width, role=Role.OTHER, bias=c.projector_bias)
    return composite(c, text, [vision], projector("", linear))
