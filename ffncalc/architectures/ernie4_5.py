"""ERNIE 4.5 without experts: Llama with one flag for all biases.

Source: ERNIE 4.5 technical report (2025), transformers models/ernie4_5.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.ir import Model


class Config(dense.Config):
    use_bias: bool = False


ROW = dense.Row(qkv_bias="use_bias", out_bias="use_bias", mlp_bias="use_bias")


def build(c: Config) -> Model:
    return dense.model(c, ROW)
