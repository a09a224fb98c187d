"""MusicGen: the encoder of a T5 that reads the text, a decoder of frames of sound, and a codec that makes them heard.

Source: arXiv:2306.05284, transformers models/{musicgen,musicgen_melody}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc import architectures
from ffncalc.architectures._composite import tower
from ffncalc.components.embedding import Linear
from ffncalc.ir import Block, Model, Role, Stream
from ffncalc.schema import BaseConfig, Size


class Config(BaseConfig):
    text_encoder: dict[str, Any]
    audio_encoder: dict[str, Any]
    decoder: dict[str, Any]
    num_chroma: Size = 12


def build(c: Config) -> Model:
    text = part(c.text_encoder, "text_encoder.", "t5", "EncoderModel")
    decoder = part(c.decoder, "decoder.", f"{c.model_type}_decoder", "ForCausalLM")
    codec = tower(c.audio_encoder, "audio_encoder.", default="encodec", key="audio_encoder.")
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=decoder.width,
        blocks=(
            *(block.moved({"": "text_encoder."}, stream=Stream.SOURCE) for block in text.blocks),
            *codec.blocks,
            *projections(c, text.width, decoder.width),
            *(block.moved({"": "decoder."}) for block in decoder.blocks),
        ),
        max_context=decoder.max_context,
        notes=(*text.notes, *codec.notes, *decoder.notes),
        defaults=(*text.defaults, *codec.defaults, *decoder.defaults),
    )


def part(raw: Mapping[str, Any], key: str, default: str, ending: str) -> Model:
    """A model of its own, as the class that the whole makes of it whatever its config names."""
    own = {**raw, "model_type": raw.get("model_type") or default, "architectures": [ending]}
    return architectures.build(own, prefix=key, nested=True)


def projections(c: Config, text: int, width: int) -> tuple[Block, ...]:
    """Maps to the width of the decoder: of the text where that has another, in the melody variant of a tune."""
    maps = []
    melody = c.model_type == "musicgen_melody"
    if text != width and (melody or c.decoder.get("cross_attention_hidden_size") is None):
        maps.append(Block("", (linear("enc_to_dec_proj", text, width),), stream=Stream.SOURCE, causal=False))
    if melody and c.num_chroma != width:
        chroma = linear("audio_enc_to_dec_proj", c.num_chroma, width)
        maps.append(Block("", (chroma,), stream=Stream.MEDIA, causal=False))
    return tuple(maps)


def linear(name: str, width: int, out: int) -> Linear:
    return Linear(name, width=width, out=out, role=Role.OTHER, bias=True)
