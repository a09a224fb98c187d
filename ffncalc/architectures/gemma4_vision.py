"""Gemma 4's vision tower: rotary positions in two dimensions, sandwich norms, gated FFN, clipping where trained so.

Source: https://ai.google.dev/gemma/docs/core, transformers models/gemma4.
"""

from __future__ import annotations

from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.architectures.dense import SANDWICH
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.media import Array, Buffers
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    aliases = {"hidden_act": ("hidden_activation",)}
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    num_key_value_heads: Size | None = None
    head_dim: Size = 64
    hidden_act: str = "gelu_pytorch_tanh"
    patch_size: Size = 16
    position_embedding_size: Size = 10240
    use_clipped_linears: bool = False
    standardize: bool = False


PROJECTIONS = Projections(q="q_proj.linear", k="k_proj.linear", v="v_proj.linear", o="o_proj.linear")
LIMITS = ("input_min", "input_max", "output_min", "output_max")


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "self_attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_key_value_heads or c.num_attention_heads,
            head_dim=c.head_dim,
            qk_norm="head",
            names=PROJECTIONS,
        ),
        GatedFFN(
            "mlp",
            width=width,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            gate="gate_proj.linear",
            up="up_proj.linear",
            down="down_proj.linear",
        ),
        *norms(width, *SANDWICH, bias=False),
        *(clips() if c.use_clipped_linears else ()),
    )
    scaling = (Buffers("", vectors=("std_bias", "std_scale"), width=width),) if c.standardize else ()
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Array(
                "patch_embedder.position_embedding_table",
                shape=(2, c.position_embedding_size, width),
                role=Role.POSITION,
            ),
            Linear("patch_embedder.input_proj", width=3 * c.patch_size * c.patch_size, out=width, role=Role.OTHER),
            *scaling,
        ),
        stack="encoder.layers",
    )


def clips() -> tuple[Component, ...]:
    """The limits between which the inputs and outputs of each linear map are clipped, stored as buffers."""
    attention = (f"self_attn.{name}_proj" for name in "qkvo")
    return tuple(
        Buffers(name, vectors=LIMITS, width=1) for name in (*attention, "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
    )
