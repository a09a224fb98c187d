"""Vision transformers with learned positions that differ from CLIP's by a choice: one row each.

Sources: arXiv:2010.11929, arXiv:2103.00020 (CLIP), arXiv:2303.15343 (SigLIP); transformers models/{clip,siglip,
idefics3,smolvlm}.
"""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Component, Model, Role, Use


class Config(TowerConfig):
    vision_use_head: bool = True


@dataclass(frozen=True, kw_only=True)
class Row:
    """How a family differs: module of everything, class token, norm before the layers, pooling head."""

    base: str = ""
    class_token: bool = False  # and then no bias in the patch embedding
    pre_norm: str = ""
    head: bool = False


ROWS: dict[str, Row] = {
    "clip_vision_model": Row(base="vision_model", class_token=True, pre_norm="pre_layrnorm"),
    "idefics3_vision": Row(),
    "siglip_vision_model": Row(base="vision_model", head=True),
    "smolvlm_vision": Row(),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    layer = (
        attention("self_attn", c.hidden_size, c.num_attention_heads, Projections(o="out_proj")),
        feed_forward(c, "mlp"),
        *norms(c.hidden_size, "layer_norm1", "layer_norm2"),
    )
    return encoder_tower(
        c,
        c.hidden_size,
        c.num_hidden_layers,
        lambda i: layer,
        base=row.base,
        before=embeddings(c, row),
        stack="encoder.layers",
        after=(*norms(c.hidden_size, "post_layernorm"), *(head(c) if row.head and c.vision_use_head else ())),
    )


def feed_forward(c: Config, name: str) -> FFN:
    return FFN(
        name, width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act, bias=True, up="fc1", down="fc2"
    )


def embeddings(c: Config, row: Row) -> tuple[Component, ...]:
    token = (Array("embeddings.class_embedding", shape=(c.hidden_size,)),) if row.class_token else ()
    rows = c.patches + 1 if row.class_token else c.patches
    return (
        *token,
        Convolution(
            "embeddings.patch_embedding",
            channels=c.num_channels,
            out=c.hidden_size,
            kernel=c.patch,
            bias=not row.class_token,
        ),
        Embedding("embeddings.position_embedding", rows=rows, width=c.hidden_size, role=Role.POSITION),
        *(norms(c.hidden_size, row.pre_norm) if row.pre_norm else ()),
    )


def head(c: Config) -> tuple[Component, ...]:
    """SigLIP's pooling: one learned query attends all patches."""
    return (
        Array("head.probe", shape=(1, 1, c.hidden_size)),
        Array(
            "head.attention.in_proj_weight",
            shape=(3 * c.hidden_size, c.hidden_size),
            role=Role.ATTENTION,
            use=Use.MATMUL,
        ),
        Array("head.attention.in_proj_bias", shape=(3 * c.hidden_size,), role=Role.ATTENTION),
        Linear("head.attention.out_proj", width=c.hidden_size, out=c.hidden_size, role=Role.ATTENTION, bias=True),
        *norms(c.hidden_size, "head.layernorm"),
        feed_forward(c, "head.mlp"),
    )
