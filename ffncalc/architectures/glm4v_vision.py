"""The vision tower of GLM-4.1V and GLM-4.5V: gated FFN, a convolution that merges patches, a gated projector.

In its config `out_hidden_size` is also the FFN width of the layers; `intermediate_size` is that of the projector.

Source: arXiv:2507.01006, transformers models/glm4v and models/glm4v_moe.
"""

from __future__ import annotations

from ffncalc.architectures._tower import LoopConfig, attention, encoder_tower, norms, pair
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(LoopConfig):
    aliases = {"depth": ("num_hidden_layers",), "num_heads": ("num_attention_heads",)}
    intermediate_size: Size
    out_hidden_size: Size = 4096
    image_size: Size | list[Size] = 336
    attention_bias: bool = False


def build(c: Config) -> Model:
    width = c.hidden_size
    names = Projections(fused="qkv", o="proj")
    layer = (
        attention("attn", width, c.num_heads, names, bias=c.attention_bias, out_bias=False),
        GatedFFN("mlp", width=width, hidden=c.out_hidden_size, activation=c.hidden_act),
        *norms(width, "norm1", "norm2", bias=False),
    )
    rows = (pair(c.image_size)[0] // c.patch_size) ** 2
    return encoder_tower(
        c,
        width,
        c.depth,
        lambda i: layer,
        before=(
            Embedding("embeddings.position_embedding", rows=rows, width=width, role=Role.POSITION),
            Convolution("patch_embed.proj", channels=c.in_channels, out=width, kernel=c.kernel, bias=True),
            *norms(width, "post_conv_layernorm", bias=False),
        ),
        stack="blocks",
        after=(
            *norms(width, "post_layernorm", bias=False),
            downsampling(width, c.out_hidden_size, c.spatial_merge_size),
            *merger(c.out_hidden_size, c.intermediate_size, c.hidden_act),
        ),
    )


def downsampling(width: int, out: int, square: int) -> Convolution:
    """A convolution that merges a square of patches."""
    return Convolution("downsample", channels=width, out=out, kernel=(square, square), bias=True)


def merger(out: int, hidden: int, activation: str) -> tuple[Component, ...]:
    """The projector: a square map, a norm, a gated FFN."""
    return (
        Linear("merger.proj", width=out, out=out, role=Role.OTHER),
        Norm("merger.post_projection_norm", width=out, bias=True),
        GatedFFN("merger", width=out, hidden=hidden, activation=activation),
    )
