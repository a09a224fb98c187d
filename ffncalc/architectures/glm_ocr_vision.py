"""The vision tower of GLM-OCR: GLM-4.1V's without learned positions, with norms of queries and keys.

The projector's width is `out_hidden_size` times the channels of an image.

Source: transformers models/glm_ocr.
"""

from __future__ import annotations

from ffncalc.architectures._tower import LoopConfig, encoder_tower, norms
from ffncalc.architectures.glm4v_vision import downsampling, merger
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Convolution
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(LoopConfig):
    aliases = {"depth": ("num_hidden_layers",), "num_heads": ("num_attention_heads",)}
    intermediate_size: Size
    out_hidden_size: Size = 1536
    attention_bias: bool = True


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "attn",
            width=width,
            heads=c.num_heads,
            kv_heads=c.num_heads,
            head_dim=c.head_size,
            qkv_bias=c.attention_bias,
            out_bias=c.attention_bias,
            qk_norm="head",
            names=Projections(fused="qkv", o="proj"),
        ),
        GatedFFN("mlp", width=width, hidden=c.intermediate_size, activation=c.hidden_act, bias=c.attention_bias),
        *norms(width, "norm1", "norm2", bias=False),
    )
    out, square = c.out_hidden_size, c.spatial_merge_size
    return encoder_tower(
        c,
        width,
        c.depth,
        lambda i: layer,
        before=(Convolution("patch_embed.proj", channels=c.in_channels, out=width, kernel=c.kernel, bias=True),),
        stack="blocks",
        after=(
            *norms(width, "post_layernorm", bias=False),
            downsampling(width, out, square),
            *merger(out, out * c.in_channels, c.hidden_act),
        ),
    )
