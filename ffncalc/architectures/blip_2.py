"""BLIP-2 and InstructBLIP: a ViT, a Q-Former, one linear map, any decoder or encoder–decoder.

The language model keeps its own class, and its own tie flag decides.

Source: arXiv:2301.12597, arXiv:2305.06500; transformers models/blip_2 and models/instructblip.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc import architectures
from ffncalc.architectures._composite import CompositeConfig, composite, projector, tower
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    qformer_config: dict[str, Any] | None = None
    num_query_tokens: Size = 32


PARTS = {"blip-2": "blip_2", "instructblip": "instructblip"}


def build(c: Config) -> Model:
    own = PARTS[c.model_type]
    text = language_model(c)
    vision = tower(c.vision_config, "vision_model.", default=f"{own}_vision_model", fixed=True)
    asked = {**(c.qformer_config or {}), "encoder_hidden_size": vision.width}
    queries = tower(asked, "qformer.", default=f"{own}_qformer", fixed=True, key="qformer_config.")
    return composite(
        c,
        text,
        [vision, queries],
        projector(
            "",
            Array("query_tokens", shape=(1, c.num_query_tokens, queries.width)),
            Linear("language_projection", width=queries.width, out=text.width, role=Role.OTHER, bias=True),
        ),
    )


def language_model(c: Config) -> Model:
    """The language model as it is, under a module; the bare InstructBLIP has it without a head."""
    bare = c.architecture == "InstructBlipModel"
    raw = {
        **c.text_config,
        "model_type": c.text_config.get("model_type") or "opt",
        "architectures": ["Model"] if bare else None,
    }
    text = architectures.build(raw, prefix="text_config.", nested=True)
    return replace(text, blocks=tuple(block.moved({"": "language_model."}) for block in text.blocks))
