"""VideoLLaMA 3: a SigLIP tower with rotary positions, a projector of two layers, a Qwen 2.

Source: arXiv:2501.13106, transformers models/video_llama_3.
"""

from __future__ import annotations

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="qwen2", either=True)
    vision = tower(c.vision_config, f"{base(c)}vision_model.", default="video_llama_3_vision", fixed=True)
    return composite(
        c,
        text,
        [vision],
        projector(
            f"{base(c)}projector",
            Linear("readout.0", width=vision.width, out=text.width, role=Role.OTHER, bias=True),
            Linear("readout.2", width=text.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
