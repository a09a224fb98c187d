"""Cohere Command R: attention and FFN in parallel behind one norm; the larger ones normalise each head by itself.

Source: https://docs.cohere.com/docs/command-r, transformers models/cohere.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import dense
from ffncalc.ir import Model


class Config(dense.Config):
    use_qk_norm: bool | None = False


ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", norms=("input_layernorm",))


def build(c: Config) -> Model:
    return dense.model(c, replace(ROW, qk_norm="each") if c.use_qk_norm else ROW)
