"""DiffLlama: Llama whose attention is the difference of two softmax maps.

Source: https://arxiv.org/abs/2410.05258, transformers models/diffllama.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.components.differential import Difference
from ffncalc.ir import Model

ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias")


class Config(dense.Config):
    pass


def build(c: Config) -> Model:
    difference = Difference("self_attn", heads=c.num_attention_heads, head_dim=c.head_size)
    return dense.model(c, ROW, extra=(difference,))
