"""Qwen3-ASR: an audio tower, a projector of two layers, a Qwen 3.

The first files keep all of it in a `thinker_config`, and their projector inside the tower.

Source: arXiv:2601.21337, transformers models/qwen3_asr.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures import qwen3_asr_encoder
from ffncalc.architectures._composite import (
    INSIDE,
    CompositeConfig,
    Names,
    base,
    composite,
    part,
    projector,
    text_model,
    tower,
)
from ffncalc.components.embedding import Linear
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Model, Role


class Config(CompositeConfig):
    text_config: dict[str, Any] = {}  # within the thinker, where the file has one
    audio_config: dict[str, Any] | None = None
    thinker_config: dict[str, Any] | None = None


AUDIO = "qwen3_asr_encoder"
THINKING = Names(head={"": "thinker."}, bare="thinker.model.")


def build(c: Config) -> Model:
    if c.thinker_config is not None:
        return thinker(c, part(Config, {**c.thinker_config, "model_type": "qwen3_asr"}, "", key="thinker_config."))
    if not c.text_config:
        raise ConfigError("text_config: missing, and required")
    text = text_model(c, INSIDE, default="qwen3")
    root = base(c)
    audio = tower(c.audio_config, f"{root}audio_tower.", default=AUDIO, key="audio_config.")
    projection = between(c, f"{root}multi_modal_projector", ("linear_1", "linear_2"), "audio_config.")
    return composite(c, text, [audio], projection)


def thinker(c: Config, inner: Config) -> Model:
    """The model of a file that keeps everything one level down."""
    key = "thinker_config."
    inner = inner.replace(architectures=c.architectures)
    text = text_model(inner, THINKING, default="qwen3", fixed=True, prefix=f"{key}text_config.")
    audio = tower(inner.audio_config, "thinker.audio_tower.", default=AUDIO, fixed=True, key=f"{key}audio_config.")
    projection = between(inner, "thinker.audio_tower", ("proj1", "proj2"), f"{key}audio_config.")
    return replace(composite(inner, text, [audio], projection), model_type=c.model_type)


def between(c: Config, prefix: str, names: tuple[str, str], key: str) -> Block:
    """The projector; it ends in a width that the file gives."""
    raw = {**(c.audio_config or {}), "model_type": AUDIO}
    audio = part(qwen3_asr_encoder.Config, raw, AUDIO, key=key)
    return projector(
        prefix,
        Linear(names[0], width=audio.d_model, out=audio.d_model, role=Role.OTHER, bias=True),
        Linear(names[1], width=audio.d_model, out=audio.output_dim, role=Role.OTHER, bias=True),
    )
