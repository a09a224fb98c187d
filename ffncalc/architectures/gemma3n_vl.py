"""Gemma 3n with its senses: MobileNet-V5, a Conformer, an embedder of hard and soft tokens after each.

Source: https://ai.google.dev/gemma/docs/gemma-3n, transformers models/gemma3n.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc import architectures
from ffncalc.architectures import gemma3n_audio, gemma3n_vision
from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Block, Model, Role


class Config(CompositeConfig):
    audio_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="gemma3n_text", fixed=True)
    towers: list[Model] = []
    embedders: list[Block] = []
    for sense, raw in (("vision", c.vision_config), ("audio", c.audio_config)):
        key, kind = f"{sense}_config.", f"gemma3n_{sense}"
        towers.append(tower(raw, f"{base(c)}{sense}_tower.", default=kind, fixed=True, key=key))
        embedders.append(embedder(f"{base(c)}embed_{sense}", raw or {}, key, kind, towers[-1].width, text.width))
    return composite(c, text, towers, *embedders)


def embedder(prefix: str, raw: Mapping[str, Any], key: str, kind: str, width: int, out: int) -> Block:
    """Its own table for hard tokens, norms for both kinds, and the way to the width of the language model."""
    config = architectures.parse({**raw, "model_type": kind, "architectures": None}, prefix=key, nested=True)
    assert isinstance(config, gemma3n_vision.Config | gemma3n_audio.Config)
    return projector(
        prefix,
        Embedding("embedding", rows=config.vocab_size, width=width),
        *norms(width, "hard_embedding_norm", "soft_embedding_norm", bias=False),
        Linear("embedding_projection", width=width, out=out, role=Role.OTHER),
    )
