"""Pix2Struct: an encoder of patches of any image, and T5's decoder that writes what it shows.

Source: arXiv:2210.03347, transformers models/pix2struct.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures._composite import nested, taken, tower
from ffncalc.architectures._decoder import divided
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role, Stream, layers
from ffncalc.schema import BaseConfig, Depth, Size

NAMES = Projections(q="attention.query", k="attention.key", v="attention.value", o="attention.output")


class Config(BaseConfig):
    text_config: dict[str, Any] | None = None
    vision_config: dict[str, Any] | None = None
    tie_word_embeddings: bool | None = None  # where it stands outside, it decides


class TextConfig(BaseConfig):
    vocab_size: Size = 50244
    hidden_size: Size = 768
    d_ff: Size = 2048
    num_layers: Depth = 12
    num_heads: Size = 12
    relative_attention_num_buckets: Size = 32
    dense_act_fn: str = "gelu_new"
    tie_word_embeddings: bool = False


def build(c: Config) -> Model:
    text = nested(TextConfig, c.text_config, "text_config.", "")
    image = tower(c.vision_config, "encoder.", default="pix2struct_vision_model", fixed=True)
    width = text.hidden_size
    table = Embedding("embed_tokens", rows=text.vocab_size, width=width)
    outer = None if "tie_word_embeddings" in c.taken else c.tie_word_embeddings
    shared = text.tie_word_embeddings if outer is None else outer
    tied = "decoder.embed_tokens.weight" if shared else ""
    first, rest = layer(text, True), layer(text, False)
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            *(replace(block, stream=Stream.SOURCE) for block in image.blocks),
            Block("decoder", (table,)),
            *layers("decoder.layer.{}", text.num_layers, lambda i: rest if i else first),
            Block(
                "decoder",
                (
                    Norm("final_layer_norm", width=width),
                    Linear("lm_head", width=width, out=text.vocab_size, tied=tied),
                ),
            ),
        ),
        notes=image.notes,
        defaults=(*taken(text, "text_config."), *image.defaults),
    )


def layer(c: TextConfig, biased: bool) -> tuple[Component, ...]:
    """A layer; the first one has the biases by distance, as T5's does. All heads are as wide as the model."""
    width, heads, head_dim = c.hidden_size, c.num_heads, divided(c, "hidden_size", "num_heads")
    biases = Embedding(
        "self_attention.attention.relative_attention_bias",
        rows=c.relative_attention_num_buckets,
        width=heads,
        role=Role.ATTENTION,
    )
    return (
        Attention("self_attention", width=width, heads=heads, kv_heads=heads, head_dim=head_dim, names=NAMES),
        *((biases,) if biased else ()),
        CrossAttention("encoder_decoder_attention", width=width, heads=heads, head_dim=head_dim, names=NAMES),
        GatedFFN(
            "mlp.DenseReluDense",
            width=width,
            hidden=c.d_ff,
            activation=c.dense_act_fn,
            gate="wi_0",
            up="wi_1",
            down="wo",
        ),
        *(Norm(f"{name}.layer_norm", width=width) for name in ("self_attention", "encoder_decoder_attention", "mlp")),
    )
