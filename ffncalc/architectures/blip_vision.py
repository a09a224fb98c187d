"""The vision towers of BLIP, BLIP-2 and InstructBLIP: ViTs with queries, keys and values in one projection.

Sources: arXiv:2201.12086, arXiv:2301.12597; transformers models/{blip,blip_2,instructblip}.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Model, Role


class Config(TowerConfig):
    qkv_bias: bool = True


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        attention("self_attn", width, c.num_attention_heads, Projections(fused="qkv", o="projection"), bias=c.qkv_bias),
        fc1_fc2("mlp", width, c.intermediate_size, c.hidden_act),
        *norms(width, "layer_norm1", "layer_norm2"),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Array("embeddings.class_embedding", shape=(1, 1, width)),
            Array("embeddings.position_embedding", shape=(1, c.patches + 1, width), role=Role.POSITION),
            Convolution("embeddings.patch_embedding", channels=3, out=width, kernel=c.patch, bias=True),
        ),
        stack="encoder.layers",
        after=norms(width, "post_layernorm"),
    )
