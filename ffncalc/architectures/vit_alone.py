"""ViT and DeiT as models of their own: BERT's layers with norms before, on patches of an image.

A patch takes the place of a token. DeiT adds a second class token that a teacher's answer is distilled into.

Source: arXiv:2010.11929, arXiv:2012.12877 (DeiT); transformers models/{vit,deit}.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._encoder import BERT_NAMES, labels
from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(TowerConfig):
    qkv_bias: bool = True
    pooler_output_size: Size | None = None  # none: the width
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None


NAMES = Projections(q="attention.query", k="attention.key", v="attention.value", o=BERT_NAMES.o)
CLASSIFIERS = {
    "ForImageClassification": ("classifier",),
    "ForImageClassificationWithTeacher": ("cls_classifier", "distillation_classifier"),
}


def build(c: Config) -> Model:
    width = c.hidden_size
    layer = (
        attention("attention", width, c.num_attention_heads, NAMES, bias=c.qkv_bias),
        FFN(
            "",
            width=width,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            bias=True,
            up="intermediate.dense",
            down="output.dense",
        ),
        *norms(width, "layernorm_before", "layernorm_after"),
    )
    names = next((found for ending, found in CLASSIFIERS.items() if c.architecture.endswith(ending)), ())
    root = f"{c.model_type}." if names else ""
    count = labels(c.num_labels, c.id2label, 2)
    pooled = Linear("pooler.dense", width=width, out=c.pooler_output_size or width, role=Role.OTHER, bias=True)
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: layer,
        base=root.removesuffix("."),
        before=embeddings(c),
        stack="encoder.layer",
        after=(*norms(width, "layernorm"), *(() if names else (pooled,))),
        head=tuple(Linear(name, width=width, out=count, bias=True) for name in names),
    )


def embeddings(c: Config) -> tuple[Component, ...]:
    width = c.hidden_size
    tokens = ("cls_token", "distillation_token") if c.model_type == "deit" else ("cls_token",)
    shape = (1, c.patches + len(tokens), width)
    name = "embeddings.patch_embeddings.projection"
    return (
        *(Array(f"embeddings.{token}", shape=(1, 1, width)) for token in tokens),
        Array("embeddings.position_embeddings", shape=shape, role=Role.POSITION),
        Convolution(name, channels=c.num_channels, out=width, kernel=c.patch, bias=True),
    )
