"""Phi-1, 1.5 and 2: attention and FFN in parallel behind one LayerNorm, biases everywhere, a biased head.

Source: https://arxiv.org/abs/2309.05463, transformers models/phi.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import dense
from ffncalc.components.attention import Projections
from ffncalc.ir import Model


class Config(dense.Config):
    qk_layernorm: bool = False


ROW = dense.Row(
    qkv_bias=True,
    out_bias=True,
    mlp_bias=True,
    gated=False,
    ungated=("fc1", "fc2"),
    norms=("input_layernorm",),
    norm_bias=True,
    names=Projections(o="dense", q_norm="q_layernorm", k_norm="k_layernorm"),
)


def build(c: Config) -> Model:
    row = replace(ROW, qk_norm="head") if c.qk_layernorm else ROW
    return dense.model(c, row, final="final_layernorm", head_bias=True)
