"""Pixtral's vision tower: rotary positions in two dimensions, RMSNorm, gated FFN, no biases.

Source: arXiv:2410.07073, transformers models/pixtral.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import SEPARATE
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Convolution
from ffncalc.ir import Model


class Config(TowerConfig):
    pass


def build(c: Config) -> Model:
    layer = (
        attention("attention", c.hidden_size, c.num_attention_heads, SEPARATE, bias=False, out_bias=False),
        GatedFFN("feed_forward", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act),
        *norms(c.hidden_size, "attention_norm", "ffn_norm", bias=False),
    )
    return encoder_tower(
        c,
        c.hidden_size,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Convolution("patch_conv", channels=c.num_channels, out=c.hidden_size, kernel=c.patch),
            *norms(c.hidden_size, "ln_pre", bias=False),
        ),
        stack="transformer.layers",
    )
