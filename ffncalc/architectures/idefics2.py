"""Idefics2: a SigLIP-like tower, a gated map to the width of the decoder, learned queries that gather the patches.

Source: arXiv:2405.02246, transformers models/idefics2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures import dense
from ffncalc.architectures._composite import (
    CompositeConfig,
    base,
    composite,
    nested,
    part,
    projector,
    taken,
    text_model,
    tower,
)
from ffncalc.architectures._tower import norms
from ffncalc.architectures.idefics3 import NAMES
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Array
from ffncalc.ir import Block, Component, Model, Role, Stream, layers
from ffncalc.schema import BaseConfig, Depth, Size


class Config(CompositeConfig):
    perceiver_config: dict[str, Any] | None = None


class PerceiverConfig(BaseConfig):
    hidden_size: Size = 4096
    hidden_act: str = "silu"
    resampler_n_latents: Size = 64
    resampler_depth: Depth = 3
    resampler_n_heads: Size = 16
    resampler_head_dim: Size = 96
    num_key_value_heads: Size = 4


def build(c: Config) -> Model:
    text = text_model(c, NAMES, default="mistral")
    vision = tower(c.vision_config, f"{base(c)}vision_model.", default="idefics2_vision", fixed=True)
    hidden = part(dense.Config, c.text_config, "mistral", key="text_config.").intermediate_size
    gathers = nested(PerceiverConfig, c.perceiver_config, "perceiver_config.", "")
    name, sizes = f"{base(c)}connector", {"gate_proj": (vision.width, hidden), "up_proj": (vision.width, hidden)}
    maps = [
        Linear(f"modality_projection.{key}", width=width, out=out, role=Role.OTHER)
        for key, (width, out) in {**sizes, "down_proj": (hidden, text.width)}.items()
    ]
    blocks = (projector(name, *maps), *resampler(gathers, f"{name}.perceiver_resampler"))
    model = composite(c, text, [vision], *blocks)
    return replace(model, defaults=(*model.defaults, *taken(gathers, "perceiver_config.")))


def resampler(c: PerceiverConfig, root: str) -> tuple[Block, ...]:
    """Layers in which the queries attend the patches and themselves."""
    width = c.hidden_size
    parts: tuple[Component, ...] = (
        Attention(
            "self_attn",
            width=width,
            heads=c.resampler_n_heads,
            kv_heads=c.num_key_value_heads,
            head_dim=c.resampler_head_dim,
        ),
        GatedFFN("mlp", width=width, hidden=4 * width, activation=c.hidden_act),
        *norms(width, "input_latents_norm", "input_context_norm", "post_attention_layernorm", bias=False),
    )
    media = Stream.MEDIA
    return (
        projector(root, Array("latents", shape=(c.resampler_n_latents, width))),
        *layers(f"{root}.layers.{{}}", c.resampler_depth, lambda i: parts, stream=media, causal=False),
        projector(root, *norms(width, "norm", bias=False)),
    )
