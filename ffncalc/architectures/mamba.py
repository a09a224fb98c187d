"""Mamba and Falcon Mamba: selective state spaces only, neither attention nor FFN.

Source: https://arxiv.org/abs/2312.00752, https://arxiv.org/abs/2410.05355; transformers models/mamba and
models/falcon_mamba (whose norms of Δ, B and C have no weights).
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.architectures._ssm import step_rank
from ffncalc.components.mamba import Mamba
from ffncalc.ir import Model
from ffncalc.schema import AutoSize, Size


class Config(StackConfig):
    state_size: Size = 16
    expand: Size = 2
    intermediate_size: Size | None = None  # channels of the mixer: where given, `expand` is not read
    conv_kernel: Size = 4
    time_step_rank: AutoSize = "auto"
    use_bias: bool = False
    use_conv_bias: bool = True


def build(c: Config) -> Model:
    mixer = Mamba(
        "mixer",
        width=c.hidden_size,
        inner=c.intermediate_size or c.expand * c.hidden_size,
        size=c.state_size,
        rank=step_rank(c.time_step_rank, c.hidden_size),
        kernel=c.conv_kernel,
        bias=c.use_bias,
        conv_bias=c.use_conv_bias,
    )
    parts = (mixer, *norms(c, "norm"))
    return decoder(c, lambda i: parts, base="backbone", embed="embeddings", after=norms(c, "norm_f"))
