"""The language model of Voxtral Realtime: a Mistral with a scale of the FFN's input in each layer.

The scale is made from the delay of the text behind the sound, once for a text.
Source: https://huggingface.co/mistralai/Voxtral-Mini-4B-Realtime-2602, transformers models/voxtral_realtime.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role

NARROW = 32  # fixed in the class


class Config(dense.Config):
    pass


def build(c: Config) -> Model:
    scale = (
        Linear("ada_rms_norm.linear1", width=c.hidden_size, out=NARROW, role=Role.NORM, once=True),
        Linear("ada_rms_norm.linear2", width=NARROW, out=c.hidden_size, role=Role.NORM, once=True),
    )
    return dense.model(c, dense.ROWS["mistral"], extra=scale)
