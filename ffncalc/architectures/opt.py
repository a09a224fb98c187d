"""OPT: learned positions, biases everywhere; the 350M model has a narrower embedding and norms after each part.

Source: arXiv:2205.01068; transformers models/opt.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size

OFFSET = 2  # the position table starts with two rows that no position uses


class Config(DecoderConfig):
    aliases = {
        "hidden_act": ("activation_function",),
        "remove_final_layer_norm": ("_remove_final_layer_norm",),
    }
    ffn_dim: Size
    max_position_embeddings: Size = 2048
    word_embed_proj_dim: Size | None = None
    do_layer_norm_before: bool = True
    remove_final_layer_norm: bool = False
    enable_bias: bool = True
    layer_norm_elementwise_affine: bool = True
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=c.enable_bias,
        out_bias=c.enable_bias,
        names=Projections(o="out_proj"),
    )
    ffn = FFN(
        "",
        width=c.hidden_size,
        hidden=c.ffn_dim,
        activation=c.hidden_act,
        bias=c.enable_bias,
        up="fc1",
        down="fc2",
    )
    parts = (attention, ffn, *affine(c, "self_attn_layer_norm", "final_layer_norm"))
    narrow = c.hidden_size if c.word_embed_proj_dim is None else c.word_embed_proj_dim
    wider, back = projections(c, narrow)
    rows = c.max_position_embeddings + OFFSET
    final = c.do_layer_norm_before and not c.remove_final_layer_norm
    return decoder(
        c,
        lambda i: parts,
        base="model.decoder",
        bare="decoder",
        embed_width=narrow,
        before=(Embedding("embed_positions", rows=rows, width=c.hidden_size, role=Role.POSITION), *wider),
        after=(*(affine(c, "final_layer_norm") if final else ()), *back),
    )


def affine(c: Config, *names: str) -> tuple[Norm, ...]:
    """Norms as wide as the model, if they have weights at all."""
    return norms(c, *names, bias=True) if c.layer_norm_elementwise_affine else ()


def projections(c: Config, narrow: int) -> tuple[tuple[Component, ...], tuple[Component, ...]]:
    """The maps between a narrower embedding and the layers, in and out."""
    if narrow == c.hidden_size:
        return (), ()
    return (
        (Linear("project_in", width=narrow, out=c.hidden_size, role=Role.OTHER),),
        (Linear("project_out", width=c.hidden_size, out=narrow, role=Role.OTHER),),
    )
