"""The text model of Qwen3.5 with experts: Gated DeltaNet, gated attention in every fourth layer, a gated shared expert.

Source: https://huggingface.co/Qwen/Qwen3.5-35B-A3B, transformers models/qwen3_5_moe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder
from ffncalc.architectures._gated_delta import GatedDeltaMoEConfig, around, experts, mixers, mtp
from ffncalc.ir import Model


class Config(GatedDeltaMoEConfig):
    pass


def build(c: Config) -> Model:
    ffn = experts(c)
    found, rest = mixers(c, split=True), around(c)
    parts = {id(mixer): (mixer, ffn, *rest) for mixer in found}
    return decoder(c, lambda i: parts[id(found[i])], mtp=mtp(c, ffn))
