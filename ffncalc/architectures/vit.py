"""Vision transformers with learned positions that differ from CLIP's by a choice: one row each.

Sources: arXiv:2010.11929, arXiv:2103.00020 (CLIP), arXiv:2303.15343 (SigLIP), arXiv:2502.14786 (SigLIP 2);
transformers models/{clip,siglip,siglip2,idefics3,smolvlm,video_llama_3,paddleocr_vl,phi4_multimodal}.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN, fc1_fc2
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.record import record
from ffncalc.schema import Size


class Config(TowerConfig):
    vision_use_head: bool = True
    spatial_merge_size: Size = 2  # PaddleOCR-VL: for its projector
    num_patches: Size = 256  # SigLIP 2: rows of the position table, which is stretched to the image


@record(frozen=True, kw_only=True)
class Row:
    """How a family differs: module of everything, class token, norm before the layers, pooling head; patches that
    come laid out flat, positions that are rotary."""

    base: str = ""
    class_token: bool = False  # and then no bias in the patch embedding
    pre_norm: str = ""
    head: bool = False
    flat: bool = False
    rotary: bool = False


ROWS: dict[str, Row] = {
    "clip_vision_model": Row(base="vision_model", class_token=True, pre_norm="pre_layrnorm"),
    "git_vision_model": Row(base="vision_model", class_token=True, pre_norm="pre_layrnorm"),
    "idefics2_vision": Row(),
    "idefics3_vision": Row(),
    "kosmos_2_vision_model": Row(base="model", class_token=True, pre_norm="pre_layrnorm"),
    "paddleocr_vl_vision": Row(base="vision_model"),
    "phi4_multimodal_vision": Row(head=True),
    "siglip2_vision_model": Row(base="vision_model", head=True, flat=True),
    "siglip_vision_model": Row(base="vision_model", head=True),
    "smolvlm_vision": Row(),
    "video_llama_3_vision": Row(rotary=True),
}


def build(c: Config) -> Model:
    return model(c, ROWS[c.model_type])


def model(c: Config, row: Row) -> Model:
    """The tower of a row."""
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
    return fc1_fc2(name, c.hidden_size, c.intermediate_size, c.hidden_act)


def embeddings(c: Config, row: Row) -> tuple[Component, ...]:
    width, token = c.hidden_size, row.class_token
    rows = c.num_patches if row.flat else c.patches + 1 if token else c.patches
    positions = Embedding("embeddings.position_embedding", rows=rows, width=width, role=Role.POSITION)
    return (
        *((Array("embeddings.class_embedding", shape=(width,)),) if token else ()),
        patching(c, row),
        *(() if row.rotary else (positions,)),
        *(norms(width, row.pre_norm) if row.pre_norm else ()),
    )


def patching(c: Config, row: Row) -> Component:
    """The patch embedding: a convolution, or the same as a linear map of patches that come laid out flat."""
    name, width = "embeddings.patch_embedding", c.hidden_size
    if row.flat:
        height, across = c.patch
        return Linear(name, width=c.num_channels * height * across, out=width, role=Role.OTHER, bias=True)
    return Convolution(name, channels=c.num_channels, out=width, kernel=c.patch, bias=not row.class_token)


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
