"""xLSTM: blocks of an mLSTM and a gated FFN, nothing that attends.

Source: arXiv:2405.04517, arXiv:2503.13427 (xLSTM 7B), transformers models/xlstm.
"""

from __future__ import annotations

from typing import Literal

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.mlstm import MLSTM
from ffncalc.errors import ConfigError
from ffncalc.formula import call
from ffncalc.ir import Model
from ffncalc.schema import Ratio, Size


class Config(StackConfig):
    aliases = {
        "hidden_size": ("hidden_size", "embedding_dim"),
        "num_hidden_layers": ("num_hidden_layers", "num_blocks"),
    }
    num_heads: Size
    qk_dim_factor: Ratio = 0.5
    v_dim_factor: Ratio = 1.0
    ffn_proj_factor: Ratio = 2.667
    ffn_round_up_to_multiple_of: Size = 64
    use_bias: bool = False
    weight_mode: Literal["single", "fused"] = "single"


def build(c: Config) -> Model:
    fused = c.weight_mode == "fused"
    parts = (
        MLSTM(
            "mlstm_layer",
            width=c.hidden_size,
            heads=c.num_heads,
            keys=inner(c, "qk_dim_factor"),
            values=inner(c, "v_dim_factor"),
            bias=c.use_bias,
            fused=fused,
        ),
        GatedFFN(
            "ffn",
            width=c.hidden_size,
            hidden=ffn_width(c),
            activation="silu",
            bias=c.use_bias,
            gate="proj_up_gate",
            up="proj_up",
            down="proj_down",
            fused="proj_up_gate_z" if fused else "",
        ),
        *norms(c, "norm_mlstm", "norm_ffn", bias=c.use_bias),
    )
    return decoder(c, lambda i: parts, base="backbone", embed="embeddings", stack="blocks", after=norms(c, "out_norm"))


def inner(c: Config, factor: str) -> int:
    """The width of all heads together: hidden_size times a factor, cut to an integer.

    Raises:
        ConfigError: the heads do not divide it.
    """
    ratio = float(getattr(c, factor))
    width = call(f"int[{ratio:g} ×]", int(int(c.hidden_size) * ratio), c.hidden_size)
    if width % c.num_heads:
        raise ConfigError(f"{c.key('num_heads')}: {c.num_heads} does not divide hidden_size × {c.key(factor)}, {width}")
    return width


def ffn_width(c: Config) -> int:
    """hidden_size times a factor, rounded up to a multiple."""
    width, multiple = int(c.hidden_size) * float(c.ffn_proj_factor), int(c.ffn_round_up_to_multiple_of)
    rounded = int((width + multiple - 1) // multiple) * multiple
    return call(f"{c.ffn_proj_factor:g} × round_up", rounded, c.hidden_size, c.ffn_round_up_to_multiple_of)
