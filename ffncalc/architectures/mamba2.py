"""Mamba-2: state-space duality with heads and groups, neither attention nor FFN.

Source: https://arxiv.org/abs/2405.21060, transformers models/mamba2.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.architectures._ssm import head_width
from ffncalc.components.mamba import Mamba2
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(StackConfig):
    num_heads: Size = 128
    head_dim: Size = 64
    state_size: Size = 128
    expand: Size = 2
    n_groups: Size = 8
    conv_kernel: Size = 4
    use_bias: bool = False
    use_conv_bias: bool = True


def build(c: Config) -> Model:
    inner = c.expand * c.hidden_size
    mixer = Mamba2(
        "mixer",
        width=c.hidden_size,
        heads=c.num_heads,
        head_dim=head_width(c, inner, c.num_heads, c.head_dim, fields=("num_heads", "head_dim")),
        size=c.state_size,
        groups=c.n_groups,
        kernel=c.conv_kernel,
        bias=c.use_bias,
        conv_bias=c.use_conv_bias,
    )
    parts = (mixer, *norms(c, "norm"))
    return decoder(c, lambda i: parts, base="backbone", embed="embeddings", after=norms(c, "norm_f"))
