"""The audio tower of Granite Speech: a Conformer with attention in blocks, and a CTC head whose guess is fed back.

Source: arXiv:2505.08699, arXiv:2005.08100 (Conformer); transformers models/granite_speech and granite_speech_plus.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Convolution
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    aliases = {
        "hidden_dim": ("hidden_size",),
        "num_layers": ("num_hidden_layers",),
        "num_heads": ("num_attention_heads",),
        "input_dim": ("num_mel_bins",),
    }
    input_dim: Size
    num_layers: Depth
    hidden_dim: Size
    feedforward_mult: Size = 4
    num_heads: Size
    dim_head: Size | None = None  # none: hidden_dim / num_heads
    output_dim: Size = 42
    max_pos_emb: Size = 512
    conv_kernel_size: Size = 15
    conv_expansion_factor: Size = 2


def build(c: Config) -> Model:
    width = c.hidden_dim
    layer = (*feed_forward(c, "ff1"), *attention(c), *convolution(c), *feed_forward(c, "ff2"))
    parts = (*layer, *norms(width, "post_norm"))
    return encoder_tower(
        c,
        width,
        c.num_layers,
        lambda i: parts,
        before=(Linear("input_linear", width=c.input_dim, out=width, role=Role.OTHER, bias=True),),
        stack="layers",
        after=(
            Linear("out", width=width, out=c.output_dim, role=Role.OTHER, bias=True),
            Linear("out_mid", width=c.output_dim, out=width, role=Role.OTHER, bias=True),
        ),
    )


def feed_forward(c: Config, name: str) -> tuple[Component, ...]:
    ffn = FFN(name, width=c.hidden_dim, hidden=c.hidden_dim * c.feedforward_mult, activation="silu", bias=True)
    return (ffn, *norms(c.hidden_dim, f"{name}.pre_norm"))


def attention(c: Config) -> tuple[Component, ...]:
    """Attention with learned vectors by distance, up to `max_pos_emb` on each side (arXiv:1803.02155)."""
    head = c.dim_head or divided(c, "hidden_dim", "num_heads")
    inner = head * c.num_heads
    return (
        Attention(
            "attn",
            width=c.hidden_dim,
            heads=c.num_heads,
            kv_heads=c.num_heads,
            head_dim=head,
            out_bias=True,
            shared_kv=True,
            names=Projections(q="to_q", o="to_out"),
        ),
        Linear("attn.to_kv", width=c.hidden_dim, out=2 * inner, role=Role.ATTENTION),
        Embedding("attn.rel_pos_emb", rows=2 * c.max_pos_emb + 1, width=head, role=Role.ATTENTION),
        *norms(c.hidden_dim, "attn.pre_norm"),
    )


def convolution(c: Config) -> tuple[Component, ...]:
    """A gated map, a depthwise convolution, a batch norm, and a map back."""
    width, inner = c.hidden_dim, c.hidden_dim * c.conv_expansion_factor
    return (
        *norms(width, "conv.norm"),
        Convolution("conv.up_conv", channels=width, out=2 * inner, kernel=(1,), bias=True),
        Convolution("conv.depth_conv.conv", channels=1, out=inner, kernel=(c.conv_kernel_size,)),
        *norms(inner, "conv.batch_norm"),
        Convolution("conv.down_conv", channels=inner, out=width, kernel=(1,), bias=True),
    )
