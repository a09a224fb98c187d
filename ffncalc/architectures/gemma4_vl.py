"""Gemma 4 with vision, and in its small sizes hearing: towers that a config may leave out, one linear map after each.

Source: https://ai.google.dev/gemma/docs/core, transformers models/gemma4.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Block, Model, Role


class Config(CompositeConfig):
    audio_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="gemma4_text", fixed=True)
    towers: list[Model] = []
    projectors: list[Block] = []
    for sense, raw in (("vision", c.vision_config), ("audio", c.audio_config)):
        if raw is not None:
            name, key = f"{base(c)}{sense}_tower.", f"{sense}_config."
            towers.append(tower(raw, name, default=f"gemma4_{sense}", fixed=True, key=key))
            linear = Linear("embedding_projection", width=towers[-1].width, out=text.width, role=Role.OTHER)
            projectors.append(projector(f"{base(c)}embed_{sense}", linear))
    return composite(c, text, towers, *projectors)
