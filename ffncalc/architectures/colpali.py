"""ColPali and ColQwen2: a vision-language model without its head, and a map of each of its states to a short vector.

Sources: arXiv:2407.01449, transformers models/{colpali,colqwen2}.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc import architectures
from ffncalc.components.embedding import Linear
from ffncalc.ir import Block, Model
from ffncalc.schema import BaseConfig, Size

INSIDE = {"colpali": "paligemma", "colqwen2": "qwen2_vl"}


class Config(BaseConfig):
    vlm_config: dict[str, Any]
    embedding_dim: Size = 128


def build(c: Config) -> Model:
    model_type = c.vlm_config.get("model_type") or INSIDE[c.model_type]
    raw = {**c.vlm_config, "model_type": model_type, "architectures": ["Model"]}
    model = architectures.build(raw, prefix="vlm_config.", nested=True)
    head = Linear("embedding_proj_layer", width=model.width, out=c.embedding_dim, bias=True)
    return replace(
        model,
        model_type=c.model_type,
        architecture=c.architecture,
        blocks=(*(block.moved({"": "vlm."}) for block in model.blocks), Block("", (head,))),
    )
