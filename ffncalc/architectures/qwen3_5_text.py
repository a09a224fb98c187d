"""The text model of Qwen3.5: Gated DeltaNet with gated attention in every fourth layer, a dense FFN.

Source: https://huggingface.co/Qwen/Qwen3.5-27B, transformers models/qwen3_5.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder
from ffncalc.architectures._gated_delta import GatedDeltaConfig, around, feed_forward, mixers, mtp
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(GatedDeltaConfig):
    intermediate_size: Size


def build(c: Config) -> Model:
    ffn = feed_forward(c, "mlp", c.intermediate_size)
    found, rest = mixers(c, split=True), around(c)
    parts = {id(mixer): (mixer, ffn, *rest) for mixer in found}
    return decoder(c, lambda i: parts[id(found[i])], mtp=mtp(c, ffn))
