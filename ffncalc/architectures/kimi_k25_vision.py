"""Kimi K2.5's vision tower (MoonViT): learned positions resampled to each image, rotary ones besides, fused q, k, v.

Source: arXiv:2504.07491 (MoonViT), arXiv:2602.02276; transformers models/kimi_k25.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(TowerConfig):
    aliases = {
        "hidden_size": ("vt_hidden_size",),
        "intermediate_size": ("vt_intermediate_size",),
        "num_hidden_layers": ("vt_num_hidden_layers",),
        "num_attention_heads": ("vt_num_attention_heads",),
        "pos_emb_height": ("init_pos_emb_height",),
        "pos_emb_width": ("init_pos_emb_width",),
    }
    patch_size: Size = 14
    pos_emb_height: Size = 64
    pos_emb_width: Size = 64
    hidden_act: str = "gelu_pytorch_tanh"


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        attention("", width, c.num_attention_heads, Projections(fused="wqkv", o="wo")),
        FFN("mlp", width=width, hidden=c.intermediate_size, activation=c.hidden_act, bias=True, up="fc0", down="fc1"),
        *norms(width, "norm0", "norm1"),
    )
    table = (c.pos_emb_height, c.pos_emb_width, width)
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Convolution("patch_embed.proj", channels=c.num_channels, out=width, kernel=c.patch, bias=True),
            Array("patch_embed.pos_emb.weight", shape=table, role=Role.POSITION),
        ),
        stack="encoder.blocks",
        after=norms(width, "encoder.final_layernorm"),
    )
