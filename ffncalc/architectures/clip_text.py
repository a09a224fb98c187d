"""The text towers of CLIP and SigLIP: a small GPT of learned positions, or an encoder with a map at the end.

Sources: arXiv:2103.00020, arXiv:2303.15343; transformers models/{clip,siglip}.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._tower import attention, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import BaseConfig, Depth, Size


class Config(BaseConfig):
    vocab_size: Size
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    max_position_embeddings: Size
    hidden_act: str = "quick_gelu"
    projection_dim: Size = 512
    projection_size: Size | None = None  # SigLIP; none: the width


def build(c: Config) -> Model:
    divided(c, "hidden_size", "num_attention_heads")
    clip, width = c.model_type == "clip_text_model", c.hidden_size
    rows, name = c.max_position_embeddings, "embeddings.position_embedding"
    layer: tuple[Component, ...] = (
        attention("self_attn", width, c.num_attention_heads, Projections(o="out_proj")),
        fc1_fc2("mlp", width, c.intermediate_size, c.hidden_act),
        *norms(width, "layer_norm1", "layer_norm2"),
    )
    head = Linear("head", width=width, out=c.projection_size or width, role=Role.OTHER, bias=True)
    before = (
        Embedding("embeddings.token_embedding", rows=c.vocab_size, width=width),
        Embedding(name, rows=rows, width=width, role=Role.POSITION),
    )
    after = (*norms(width, "final_layer_norm"), *(() if clip else (head,)))
    projection = Linear("text_projection", width=width, out=c.projection_dim, role=Role.OTHER)
    projected = c.architecture == "CLIPTextModelWithProjection"
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            Block("text_model", before, causal=clip),
            *layers("text_model.encoder.layers.{}", c.num_hidden_layers, lambda i: layer, causal=clip),
            Block("text_model", after, causal=clip),
            *((Block("", (projection,), causal=clip),) if projected else ()),
        ),
        max_context=c.max_position_embeddings,
    )
