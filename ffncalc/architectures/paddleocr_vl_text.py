"""The language model of PaddleOCR-VL, an ERNIE 4.5: a Llama of which one flag gives every projection a bias.

Source: arXiv:2510.14528, transformers models/paddleocr_vl.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.ir import Model


class Config(dense.Config):
    aliases = {"attention_bias": ("use_bias",), "mlp_bias": ("use_bias",)}


def build(c: Config) -> Model:
    return dense.model(c, dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"))
