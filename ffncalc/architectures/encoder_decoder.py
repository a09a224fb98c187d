"""Two models as encoder and decoder (BERT to BERT, RoBERTa to GPT-2, ViT to TrOCR, …).

Source: arXiv:1907.12461, arXiv:2109.10282; transformers models/{encoder_decoder,vision_encoder_decoder}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffncalc import architectures
from ffncalc.components.embedding import Linear
from ffncalc.ir import Block, Model, Role, Stream
from ffncalc.schema import BaseConfig


class Config(BaseConfig):
    encoder: dict[str, Any]
    decoder: dict[str, Any]
    tie_encoder_decoder: bool = False


def build(c: Config) -> Model:
    encoder, decoder = half(c.encoder, "encoder", "Model"), half(c.decoder, "decoder", "ForCausalLM")
    between = Linear("enc_to_dec_proj", width=encoder.width, out=decoder.width, role=Role.OTHER, bias=True)
    differ = encoder.width != decoder.width and c.decoder.get("cross_attention_hidden_size") is None
    shared = "tie_encoder_decoder: true, but both halves are counted with weights of their own"
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=decoder.width,
        blocks=(
            *(block.moved({"": "encoder."}, stream=Stream.SOURCE) for block in encoder.blocks),
            *((Block("", (between,), stream=Stream.SOURCE, causal=False),) if differ else ()),
            *(block.moved({"": "decoder."}) for block in decoder.blocks),
        ),
        max_context=decoder.max_context,
        notes=(*encoder.notes, *decoder.notes, *((shared,) if c.tie_encoder_decoder else ())),
        defaults=(*encoder.defaults, *decoder.defaults),
    )


def half(raw: Mapping[str, Any], name: str, ending: str) -> Model:
    """One of the two models, as the class that the pair makes of it whatever its own config names."""
    return architectures.build(dict(raw) | {"architectures": [ending]}, prefix=f"{name}.", nested=True)
