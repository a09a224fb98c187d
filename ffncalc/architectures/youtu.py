"""Youtu-LLM: DeepSeek's latent attention in a dense decoder.

Source: https://arxiv.org/abs/2512.24618, transformers models/youtu.
"""

from __future__ import annotations

from ffncalc.architectures import deepseek_v3
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import dense_ffn
from ffncalc.ir import Model


class Config(deepseek_v3.Config):
    pass


def build(c: Config) -> Model:
    parts = (
        deepseek_v3.attention(c),
        dense_ffn(c, bias=c.mlp_bias),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
    )
    return decoder(c, lambda i: parts)
