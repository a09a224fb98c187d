"""Granite Speech: a Conformer, a Q-Former that shortens what it heard, one linear map, a Granite.

The adapter that the first versions add to the language model is not part of it, and stored apart.

Source: arXiv:2505.08699, transformers models/granite_speech and models/granite_speech_plus.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    encoder_config: dict[str, Any] | None = None
    projector_config: dict[str, Any] | None = None
    downsample_rate: Size = 5
    window_size: Size = 15


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="granite")
    audio = tower(c.encoder_config, "encoder.", default=f"{c.model_type}_encoder", fixed=True, key="encoder_config.")
    asked = dict(c.projector_config or {})
    if asked.get("model_type") == "granite_speech_qformer":  # what the first files called it
        asked["model_type"] = "blip_2_qformer"
    queries = tower(asked, "projector.qformer.", default="blip_2_qformer", key="projector_config.")
    return composite(
        c,
        text,
        [audio, queries],
        projector(
            "projector",
            Array("query", shape=(1, c.window_size // c.downsample_rate, queries.width)),
            Linear("linear", width=queries.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
