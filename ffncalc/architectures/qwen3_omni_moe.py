"""Qwen3-Omni: a thinker with experts that reads text, images and sound, and what speaks, which may be left out.

Source: arXiv:2509.17765, transformers models/qwen3_omni_moe.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import qwen2_5_omni
from ffncalc.architectures._composite import nested, taken
from ffncalc.architectures.qwen3_omni_moe_speech import (
    PredictorConfig,
    TalkerConfig,
    TalkerTextConfig,
    WaveConfig,
    predictor,
    talker,
    wave,
)
from ffncalc.ir import Model, Stream


class Config(qwen2_5_omni.Config):
    code2wav_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    return qwen2_5_omni.omni(c, speaking)


def speaking(c: Config) -> Model:
    """The talker, which writes the first code of each frame, the predictor of the others, and the decoder of codes."""
    key = "talker_config."
    outer = nested(TalkerConfig, c.talker_config, key, "")
    text = nested(TalkerTextConfig, outer.text_config, f"{key}text_config.", "")
    codes = nested(PredictorConfig, outer.code_predictor_config, f"{key}code_predictor_config.", "")
    waves = nested(WaveConfig, c.code2wav_config, "code2wav_config.", "")
    parts = {"talker.": (*talker(outer, text), *predictor(codes)), "code2wav.": wave(waves)}
    blocks = (b.moved({"": root}, stream=Stream.MEDIA) for root, blocks in parts.items() for b in blocks)
    configs = {key: outer, f"{key}text_config.": text, f"{key}code_predictor_config.": codes, "code2wav_config.": waves}
    defaults = tuple(row for prefix, config in configs.items() for row in taken(config, prefix))
    return qwen2_5_omni.model_of(c, tuple(blocks), defaults)
