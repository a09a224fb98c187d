"""StarCoder2: LayerNorms and biases under one flag, an FFN without gate, a sliding window in every layer.

Source: https://arxiv.org/abs/2402.19173, transformers models/starcoder2.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.ir import Model


class Config(dense.Config):
    use_bias: bool = True


ROW = dense.Row(
    qkv_bias="use_bias",
    out_bias="use_bias",
    mlp_bias="use_bias",
    gated=False,
    ungated=("c_fc", "c_proj"),
    norm_bias=True,
    windows="all",
)


def build(c: Config) -> Model:
    return dense.model(c, ROW)
