"""Phi-4-multimodal: Phi-3's decoder, a SigLIP tower for images and a Conformer for sound beside its embedding.

Sound has two projectors: one for speech alone, one for speech beside an image.
Source: arXiv:2503.01743, transformers models/phi4_multimodal.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import dense, phi4_multimodal_audio
from ffncalc.architectures._composite import composite, part, projector, tower
from ffncalc.architectures._decoder import root
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.ir import Model, Role

VISION, AUDIO = "phi4_multimodal_vision", "phi4_multimodal_audio"


class Config(dense.Config):
    vision_config: dict[str, Any] | None = None
    audio_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    text = dense.model(c, dense.ROWS["phi3"])
    base = f"{root(c, 'model')}embed_tokens_extend."
    image, sound = f"{base}image_embed", f"{base}audio_embed"
    seeing = tower(c.vision_config, f"{image}.img_processor.", default=VISION)
    hearing = tower(c.audio_config, f"{sound}.encoder.", default=AUDIO, key="audio_config.")
    rate = part(phi4_multimodal_audio.Config, c.audio_config, AUDIO, key="audio_config.").downsample_rate
    sounds = ("speech", "vision_speech")
    return composite(
        c,
        text,
        [seeing, hearing],
        projector(
            image,
            Array("global_img_feature_extensor", shape=(1, 1, seeing.width)),
            Array("sub_img_feature_extensor", shape=(1, 1, 1, seeing.width)),
            linear("img_projection_up", seeing.width, c.hidden_size),
            linear("img_projection_down", c.hidden_size, c.hidden_size),
        ),
        projector(
            sound,
            *(linear(f"up_proj_for_{kind}", hearing.width * rate, c.hidden_size) for kind in sounds),
            *(linear(f"down_proj_for_{kind}", c.hidden_size, c.hidden_size) for kind in sounds),
        ),
    )


def linear(name: str, width: int, out: int) -> Linear:
    return Linear(name, width=width, out=out, role=Role.OTHER, bias=True)
