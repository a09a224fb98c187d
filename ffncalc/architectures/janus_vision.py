"""Janus' vision tower for understanding: SigLIP's, with another name for the output projection and norms to choose.

Source: arXiv:2410.13848, transformers models/janus.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Convolution
from ffncalc.ir import Model, Role
from ffncalc.schema import Few, Ratio, Size


class Config(TowerConfig):
    intermediate_size: Size = 4096  # never used
    mlp_ratio: Ratio = 4.0
    attention_bias: bool = True
    use_qk_norm: bool = False
    projection_dim: Size = 2048
    depth: Few = 2  # layers of the projector


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "self_attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_size,
            qkv_bias=c.attention_bias,
            out_bias=True,
            qk_norm="all" if c.use_qk_norm else "",
            norm_bias=True,
            names=Projections(o="projection_layer"),
        ),
        fc1_fc2("mlp", width, int(width * c.mlp_ratio), c.hidden_act),
        *norms(width, "layer_norm1", "layer_norm2"),
    )
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Convolution("embeddings.patch_embedding", channels=c.num_channels, out=width, kernel=c.patch, bias=True),
            Embedding("embeddings.position_embedding", rows=c.patches, width=width, role=Role.POSITION),
        ),
        stack="encoder.layers",
        after=norms(width, "post_layernorm"),
    )
