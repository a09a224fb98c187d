"""BitNet b1.58: ternary weights, and a norm before the last projection of attention and FFN.

Source: https://arxiv.org/abs/2402.17764, https://arxiv.org/abs/2504.12285, transformers models/bitnet.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.components.norm import Norm
from ffncalc.ir import Model

Config = dense.Config

ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias")


def build(c: dense.Config) -> Model:
    inner = (
        Norm("self_attn.attn_sub_norm", width=c.hidden_size),
        Norm("mlp.ffn_sub_norm", width=c.intermediate_size),
    )
    return dense.model(c, ROW, extra=inner)
