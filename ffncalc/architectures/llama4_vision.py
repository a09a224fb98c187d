"""Llama 4's vision tower: a ViT with rotary and learned positions, and an adapter after merging patches.

Source: https://ai.meta.com/blog/llama-4-multimodal-intelligence/, transformers models/llama4.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import SEPARATE
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Array
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(TowerConfig):
    vision_output_dim: Size = 7680
    projector_input_dim: Size = 4096
    projector_output_dim: Size = 4096


def build(c: Config) -> Model:
    width, (height, across) = c.hidden_size, c.patch
    layer = (
        attention("self_attn", width, c.num_attention_heads, SEPARATE),
        fc1_fc2("mlp", width, c.intermediate_size, c.hidden_act),
        *norms(width, "input_layernorm", "post_attention_layernorm"),
    )
    out = c.projector_output_dim
    return encoder_tower(
        c,
        c.vision_output_dim,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Array("class_embedding", shape=(width,)),
            Array("positional_embedding_vlm", shape=(c.patches + 1, width), role=Role.POSITION),
            Linear("patch_embedding.linear", width=c.num_channels * height * across, out=width, role=Role.OTHER),
            *norms(width, "layernorm_pre"),
        ),
        stack="model.layers",
        after=(
            *norms(width, "layernorm_post"),
            Linear("vision_adapter.mlp.fc1", width=c.intermediate_size, out=c.projector_input_dim, role=Role.OTHER),
            Linear("vision_adapter.mlp.fc2", width=out, out=out, role=Role.OTHER),
        ),
    )
