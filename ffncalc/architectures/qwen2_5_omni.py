"""Qwen2.5-Omni: a thinker that reads text, images and sound, and a talker with a speech decoder that may be left out.

The thinker is the language model; what speaks counts as multimodal, like the towers.

Source: arXiv:2503.20215, transformers models/qwen2_5_omni.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from ffncalc import architectures
from ffncalc.architectures._composite import CompositeConfig, Names, composite, nested, taken, text_model, tower
from ffncalc.architectures.qwen2_5_omni_speech import (
    DiffusionConfig,
    TalkerConfig,
    VocoderConfig,
    diffusion,
    talker,
    vocoder,
)
from ffncalc.ir import Block, Model, Stream


class Config(CompositeConfig):
    text_config: dict[str, Any] = {}  # the thinker's own, where the file is a thinker's
    audio_config: dict[str, Any] | None = None
    thinker_config: dict[str, Any] | None = None
    talker_config: dict[str, Any] | None = None
    token2wav_config: dict[str, Any] | None = None
    enable_audio_output: bool = True


C = TypeVar("C", bound=Config)


def build(c: Config) -> Model:
    return omni(c, speaking)


def omni(c: C, speaking: Callable[[C], Model]) -> Model:
    """The thinker, alone where the type says so, else with what `speaking` makes of the config."""
    if c.model_type.endswith("_thinker"):
        return thinker(c, "", "")
    raw = {**(c.thinker_config or {}), "model_type": f"{c.model_type}_thinker", "architectures": None}
    inner = architectures.parse(raw, prefix="thinker_config.", nested=True)
    assert isinstance(inner, Config)
    model = thinker(inner, "thinker.", "thinker_config.")
    speech = speaking(c) if c.enable_audio_output else model_of(c, (), ())
    return replace(
        model,
        model_type=c.model_type,
        architecture=c.architecture,
        blocks=(*model.blocks, *speech.blocks),
        defaults=(*model.defaults, *speech.defaults),
    )


def thinker(c: Config, root: str, key: str) -> Model:
    """The language model with its towers, under `root`; `key` stands before the keys of its config."""
    family = c.model_type.removesuffix("_thinker")
    text = text_model(
        c,
        Names(head={"": root}, bare=root),
        default=f"{family}_text",
        fixed=True,
        otherwise=False,
        prefix=f"{key}text_config.",
    )
    hearing = tower(
        c.audio_config,
        f"{root}audio_tower.",
        default=f"{family}_audio_encoder",
        fixed=True,
        key=f"{key}audio_config.",
    )
    seeing = tower(
        c.vision_config,
        f"{root}visual.",
        default=f"{family}_vision_encoder",
        fixed=True,
        key=f"{key}vision_config.",
    )
    return composite(c, text, [hearing, seeing])


def speaking(c: Config) -> Model:
    """The talker and what turns its codes into sound."""
    wav = c.token2wav_config or {}
    talking = nested(TalkerConfig, c.talker_config, "talker_config.", "qwen2_5_omni_talker")
    drawing = nested(DiffusionConfig, wav.get("dit_config"), "token2wav_config.dit_config.", "qwen2_5_omni_dit")
    sounding = nested(VocoderConfig, wav.get("bigvgan_config"), "token2wav_config.bigvgan_config.", "")
    parts = {
        "talker.": talker(talking),
        "token2wav.code2wav_dit_model.": diffusion(drawing).blocks,
        "token2wav.code2wav_bigvgan_model.": (vocoder(sounding),),
    }
    blocks = (b.moved({"": root}, stream=Stream.MEDIA) for root, blocks in parts.items() for b in blocks)
    defaults = (*taken(talking, "talker_config."), *taken(drawing, "token2wav_config.dit_config."))
    return model_of(c, tuple(blocks), defaults)


def model_of(c: Config, blocks: tuple[Block, ...], defaults: tuple[tuple[str, object], ...]) -> Model:
    return Model(model_type=c.model_type, architecture=c.architecture, width=1, blocks=blocks, defaults=defaults)
