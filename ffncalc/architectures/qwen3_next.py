"""Qwen3-Next: Gated DeltaNet with gated attention in every fourth layer, experts with a gated shared one.

Source: https://huggingface.co/Qwen/Qwen3-Next-80B-A3B-Instruct, transformers models/qwen3_next.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder
from ffncalc.architectures._gated_delta import GatedDeltaMoEConfig, around, experts, feed_forward, mixers, mtp
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size


class Config(GatedDeltaMoEConfig):
    intermediate_size: Size = 5632  # of layers without experts, which the published models lack
    decoder_sparse_step: Size = 1
    mlp_only_layers: list[Count] | None = None


def build(c: Config) -> Model:
    dense = set(c.mlp_only_layers or ())
    step = c.decoder_sparse_step
    routes = [bool(c.num_experts) and i not in dense and (i + 1) % step == 0 for i in range(c.num_hidden_layers)]
    ffns: dict[bool, Component] = {True: experts(c), False: feed_forward(c, "mlp", c.intermediate_size)}
    found, rest = mixers(c, split=False), around(c)
    parts = {(id(m), r): (m, ffns[r], *rest) for m, r in zip(found, routes, strict=True)}
    return decoder(c, lambda i: parts[id(found[i]), routes[i]], mtp=mtp(c, ffns[routes[-1]]))
