"""Voxtral Realtime: a causal audio tower, a projector of four frames, a Mistral whose FFN input is scaled by the delay.

Source: https://huggingface.co/mistralai/Voxtral-Mini-4B-Realtime-2602, transformers models/voxtral_realtime.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role
from ffncalc.schema import Size

TEXT: dict[str, Any] = {  # what a text config leaves out is that of the published model, not of the decoder's class
    "vocab_size": 131072,
    "hidden_size": 3072,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "sliding_window": 8192,
}


class Config(CompositeConfig):
    audio_config: dict[str, Any] | None = None
    downsample_factor: Size = 4


def build(c: Config) -> Model:
    own = c.replace(text_config={**TEXT, **c.text_config})
    text = text_model(own, NESTED, default="voxtral_realtime_text", fixed=True, otherwise=True)
    audio = tower(c.audio_config, "audio_tower.", default="voxtral_realtime_encoder", fixed=True, key="audio_config.")
    linears = (
        Linear("linear_1", width=audio.width * c.downsample_factor, out=text.width, role=Role.OTHER),
        Linear("linear_2", width=text.width, out=text.width, role=Role.OTHER),
    )
    return composite(c, text, [audio], projector("multi_modal_projector", *linears))
