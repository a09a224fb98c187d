"""Language models that hear: an audio tower, a projector, a decoder. Qwen2-Audio, Voxtral, GLM-ASR.

Voxtral and GLM-ASR lay four frames of the tower side by side, as wide as its FFN.

Sources: arXiv:2407.10759 (Qwen2-Audio), arXiv:2507.13264 (Voxtral); transformers models/{qwen2_audio,voxtral,glmasr}.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import glmasr_encoder, whisper_encoder
from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, part, projector, text_model, tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Component, Model, Role


class Config(CompositeConfig):
    audio_config: dict[str, Any] | None = None


TEXTS = {"qwen2_audio": "qwen2", "voxtral": "llama", "glmasr": "llama"}
TOWERS = {"qwen2_audio": "qwen2_audio_encoder", "voxtral": "voxtral_encoder", "glmasr": "glmasr_encoder"}
# What a text config leaves out is that of the first model of the family, not of the class of the decoder.
FILLED: dict[str, dict[str, Any]] = {
    "qwen2_audio": {},
    "voxtral": {
        "vocab_size": 131072,
        "hidden_size": 3072,
        "intermediate_size": 8192,
        "num_hidden_layers": 30,
        "num_key_value_heads": 8,
        "max_position_embeddings": 131072,
        "head_dim": 128,
    },
    "glmasr": {
        "vocab_size": 59264,
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "max_position_embeddings": 8192,
    },
}


def build(c: Config) -> Model:
    filled = {**FILLED[c.model_type], **c.text_config}
    text = text_model(
        c.replace(text_config=filled),
        NESTED,
        default=TEXTS[c.model_type],
        ties=c.model_type == "glmasr",
    )
    audio = tower(c.audio_config, "audio_tower.", default=TOWERS[c.model_type], key="audio_config.")
    return composite(c, text, [audio], projector("multi_modal_projector", *projection(c, audio, text)))


def projection(c: Config, audio: Model, text: Model) -> tuple[Component, ...]:
    if c.model_type == "qwen2_audio":
        return (Linear("linear", width=audio.width, out=text.width, role=Role.OTHER, bias=True),)
    biased = c.model_type == "glmasr"
    hidden = 2 * text.width if biased else text.width
    return (
        Linear("linear_1", width=frames(c), out=hidden, role=Role.OTHER, bias=biased),
        Linear("linear_2", width=hidden, out=text.width, role=Role.OTHER, bias=biased),
    )


def frames(c: Config) -> int:
    """The width of the frames that the projector reads at once."""
    raw, own = c.audio_config, TOWERS[c.model_type]
    if own == "glmasr_encoder":
        return part(glmasr_encoder.Config, raw, own, key="audio_config.").intermediate_size
    return part(whisper_encoder.Config, raw, own, key="audio_config.").intermediate_size
