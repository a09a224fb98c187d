"""Chameleon: a Llama whose heads each normalise queries and keys, and whose words are text and codes of images.

Source: arXiv:2405.09818, transformers models/chameleon.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures import dense
from ffncalc.architectures._composite import composite, tower
from ffncalc.architectures._decoder import decoder, norms, root
from ffncalc.ir import FULL, Model

ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", qk_norm="each")


class Config(dense.Config):
    vq_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    attention = replace(dense.attention(c, ROW, FULL), norm_bias=True)
    parts = (attention, dense.feed_forward(c, ROW), *norms(c, *ROW.norms))
    text = decoder(c, lambda i: parts)
    codes = tower(c.vq_config, f"{root(c, 'model')}vqmodel.", default="chameleon_vqgan", fixed=True, key="vq_config.")
    return composite(c, text, [codes])
