"""InternViT, the vision tower of InternVL's own checkpoints: learned gains on each branch, no norm at the end.

The defaults are those of the largest one, of 6 billion parameters.

Source: arXiv:2312.14238; configuration_intern_vit.py and modeling_intern_vit.py of OpenGVLab/InternVL3-1B.
"""

from __future__ import annotations

from typing import Literal

from ffncalc.architectures._tower import TowerConfig, encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Vector
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Model, Role
from ffncalc.schema import Depth, Size


class Config(TowerConfig):
    hidden_size: Size = 3200
    intermediate_size: Size = 12800
    num_hidden_layers: Depth = 48
    num_attention_heads: Size = 25
    patch_size: Size | list[Size] = 14
    qkv_bias: bool = False
    qk_normalization: bool = True
    norm_type: Literal["rms_norm", "layer_norm"] = "rms_norm"


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_size,
            qkv_bias=c.qkv_bias,
            out_bias=True,
            qk_norm="all" if c.qk_normalization else "",
            names=Projections(fused="qkv", o="proj"),
        ),
        fc1_fc2("mlp", width, c.intermediate_size, c.hidden_act),
        *norms(width, "norm1", "norm2", bias=c.norm_type == "layer_norm"),
        Vector("ls1", width=width, role=Role.OTHER),
        Vector("ls2", width=width, role=Role.OTHER),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Array("embeddings.class_embedding", shape=(1, 1, width)),
            Array("embeddings.position_embedding", shape=(1, c.patches + 1, width), role=Role.POSITION),
            Convolution("embeddings.patch_embedding", channels=c.num_channels, out=width, kernel=c.patch, bias=True),
        ),
        stack="encoder.layers",
    )
