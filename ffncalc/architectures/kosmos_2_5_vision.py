"""The vision tower of Pix2Struct and Kosmos-2.5: patches of any image with a row and a column, gated FFN, no biases.

Source: arXiv:2210.03347 (Pix2Struct), arXiv:2309.11419; transformers models/{pix2struct,kosmos2_5}.
"""

from __future__ import annotations

from ffncalc.architectures._tower import encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Model, Role
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    aliases = {"intermediate_size": ("d_ff",), "head_dim": ("d_kv",), "max_num_patches": ("seq_len",)}
    hidden_size: Size
    patch_embed_hidden_size: Size = 768
    intermediate_size: Size
    head_dim: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    dense_act_fn: str = "gelu_new"
    max_num_patches: Size = 4096


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        Attention(
            "attention",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_dim,
            names=Projections(q="query", k="key", v="value", o="output"),
        ),
        GatedFFN(
            "mlp",
            width=width,
            hidden=c.intermediate_size,
            activation=c.dense_act_fn,
            gate="wi_0",
            up="wi_1",
            down="wo",
        ),
        *norms(width, "pre_mlp_layer_norm", "pre_attention_layer_norm", bias=False),
    )
    places = (f"embeddings.{side}_embedder" for side in ("row", "column"))
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        before=(
            Linear(
                "embeddings.patch_projection", width=c.patch_embed_hidden_size, out=width, role=Role.OTHER, bias=True
            ),
            *(Embedding(name, rows=c.max_num_patches, width=width, role=Role.POSITION) for name in places),
        ),
        stack="encoder.layer",
        after=norms(width, "layernorm", bias=False),
    )
