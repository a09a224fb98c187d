"""The audio tower of Qwen3-ASR and -Omni: three convolutions that shorten the sound eightfold, then Whisper's layers.

The positions are sines, and no weights. Qwen3-Omni keeps the projector inside the tower.

Source: arXiv:2601.21337, arXiv:2509.17765; transformers models/qwen3_asr, qwen3_omni_moe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Convolution
from ffncalc.formula import call
from ffncalc.ir import Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    num_mel_bins: Size = 128
    encoder_layers: Depth
    encoder_attention_heads: Size
    encoder_ffn_dim: Size
    d_model: Size
    activation_function: str = "gelu"
    output_dim: Size = 3584
    downsample_hidden_size: Size = 480


def build(c: Config) -> Model:
    width, inner = c.d_model, c.downsample_hidden_size
    divided(c, "d_model", "encoder_attention_heads")
    layer = (
        attention("self_attn", width, c.encoder_attention_heads, Projections(o="out_proj")),
        fc1_fc2("", width, c.encoder_ffn_dim, c.activation_function),
        *norms(width, "self_attn_layer_norm", "final_layer_norm"),
    )
    bins = call("ceil", -(-int(c.num_mel_bins) // 8), c.num_mel_bins // 8)
    return encoder_tower(
        c,
        width,
        c.encoder_layers,
        lambda i: layer,
        before=(
            Convolution("conv2d1", channels=1, out=inner, kernel=(3, 3), bias=True),
            Convolution("conv2d2", channels=inner, out=inner, kernel=(3, 3), bias=True),
            Convolution("conv2d3", channels=inner, out=inner, kernel=(3, 3), bias=True),
            Linear("conv_out", width=inner * bins, out=width, role=Role.OTHER),
        ),
        stack="layers",
        after=(*norms(width, "ln_post"), *(projector(c) if c.model_type == "qwen3_omni_moe_audio_encoder" else ())),
    )


def projector(c: Config) -> tuple[Linear, Linear]:
    return (
        Linear("proj1", width=c.d_model, out=c.d_model, role=Role.OTHER, bias=True),
        Linear("proj2", width=c.d_model, out=c.output_dim, role=Role.OTHER, bias=True),
    )
