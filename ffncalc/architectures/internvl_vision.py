"""InternVL's vision tower: a ViT with learned positions and a learned gain on each residual branch.

Source: arXiv:2312.14238, transformers models/internvl.
"""

from __future__ import annotations

from typing import Literal

from ffncalc.architectures._tower import TowerConfig, encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Vector
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(TowerConfig):
    image_size: Size | list[Size] = [448, 448]
    attention_bias: bool = False
    use_qk_norm: bool = False
    norm_type: Literal["layer_norm", "rms_norm"] = "layer_norm"
    use_mask_token: bool = False
    use_absolute_position_embeddings: bool = True
    use_mean_pooling: bool = True


def build(c: Config) -> Model:
    biased = c.norm_type == "layer_norm"
    layer = (
        attention(c),
        fc1_fc2("mlp", c.hidden_size, c.intermediate_size, c.hidden_act),
        *norms(c.hidden_size, "layernorm_before", "layernorm_after", bias=biased),
        Vector("lambda_1", width=c.hidden_size, role=Role.OTHER),
        Vector("lambda_2", width=c.hidden_size, role=Role.OTHER),
    )
    return encoder_tower(
        c,
        c.hidden_size,
        c.num_hidden_layers,
        lambda i: layer,
        before=embeddings(c),
        stack="encoder.layer",
        after=() if c.use_mean_pooling else norms(c.hidden_size, "layernorm"),
    )


def attention(c: Config) -> Attention:
    return Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        out_bias=True,
        qk_norm="all" if c.use_qk_norm else "",
        names=Projections(o="projection_layer"),
    )


def embeddings(c: Config) -> tuple[Component, ...]:
    width = c.hidden_size
    mask = (Array("embeddings.mask_token", shape=(1, 1, width)),) if c.use_mask_token else ()
    positions = Array("embeddings.position_embeddings", shape=(1, c.patches + 1, width), role=Role.POSITION)
    return (
        Array("embeddings.cls_token", shape=(1, 1, width)),
        *mask,
        Convolution(
            "embeddings.patch_embeddings.projection",
            channels=c.num_channels,
            out=width,
            kernel=c.patch,
            bias=True,
        ),
        *((positions,) if c.use_absolute_position_embeddings else ()),
    )
