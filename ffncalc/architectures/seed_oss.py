"""Seed-OSS: Llama with biases on q, k and v, and a flag of its own for that of the output projection.

Source: https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct, transformers models/seed_oss.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.ir import Model


class Config(dense.Config):
    attention_out_bias: bool = False


ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_out_bias", mlp_bias="mlp_bias")


def build(c: Config) -> Model:
    return dense.model(c, ROW)
