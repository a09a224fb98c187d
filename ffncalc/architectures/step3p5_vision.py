"""The vision tower of Step 3.7: a ViT with scaled residuals, and two convolutions that halve the map of patches.

Source: https://huggingface.co/stepfun-ai/Step-3.7-Flash, transformers models/step3p7.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, encoder_tower, norms
from ffncalc.components.embedding import Linear, Vector
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.formula import call
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.schema import Ratio, Size


class Config(TowerConfig):
    aliases = {
        "hidden_size": ("width",),
        "num_hidden_layers": ("layers",),
        "num_attention_heads": ("heads",),
    }
    intermediate_size: Size = 3072  # of no use: mlp_ratio decides
    mlp_ratio: Ratio = 8960 / 1536


def build(c: Config) -> Model:
    width, _ = c.hidden_size, c.head_size
    hidden = call(f"{c.mlp_ratio:g} ×", int(int(width) * c.mlp_ratio), width)
    layer: tuple[Component, ...] = (
        Array("attn.in_proj_weight", shape=(3 * width, width), role=Role.ATTENTION, use=Use.MATMUL),
        Array("attn.in_proj_bias", shape=(3 * width,), role=Role.ATTENTION, use=Use.ELEMENTWISE),
        Linear("attn.out_proj", width=width, out=width, role=Role.ATTENTION, bias=True),
        FFN("mlp", width=width, hidden=hidden, activation=c.hidden_act, bias=True, up="c_fc", down="c_proj"),
        *norms(width, "ln_1", "ln_2"),
        *(Vector(f"ls_{i}.gamma", width=width, role=Role.OTHER) for i in (1, 2)),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Convolution("conv1", channels=c.num_channels, out=width, kernel=c.patch),
            Array("positional_embedding", shape=(c.patches, width), role=Role.POSITION),
            *norms(width, "ln_pre"),
        ),
        stack="transformer.resblocks",
        after=(
            Convolution("vit_downsampler1", channels=width, out=2 * width, kernel=(3, 3), bias=True),
            Convolution("vit_downsampler2", channels=2 * width, out=4 * width, kernel=(3, 3), bias=True),
        ),
    )
