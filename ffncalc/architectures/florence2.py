"""Florence-2: a DaViT tower, one linear map with learned rows and columns, a BART that reads image and prompt.

Source: arXiv:2311.06242, transformers models/florence2.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc import architectures
from ffncalc.architectures import florence_vision
from ffncalc.architectures._composite import CompositeConfig, bare, base, composite, part, projector, taken, tower
from ffncalc.architectures._encoder_decoder import EncoderDecoderConfig
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Block, Component, Model, Role

VISION = "florence_vision"


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    root = base(c)
    own = {**(c.vision_config or {}), "model_type": VISION}
    vision = tower(own, f"{root}vision_tower.", default=VISION, fixed=True)
    text = language_model(c, f"{root}language_model.")
    return composite(
        c, text, [vision], projector(f"{root}multi_modal_projector", *projection(part(florence_vision.Config, own, "")))
    )


def language_model(c: Config, prefix: str) -> Model:
    """The encoder–decoder without its own head, and a head on its table."""
    text = part(EncoderDecoderConfig, c.text_config, "bart", key="text_config.")
    inner = text.replace(architectures=["Model"])
    model: Model = architectures.module(text.model_type).build(inner)
    flag = text.tie_word_embeddings if "tie_word_embeddings" in c.taken else c.tie_word_embeddings
    table = "" if flag is False else f"{prefix}shared.weight"
    head = () if bare(c) else (Linear("lm_head", width=text.hidden_size, out=text.vocab_size, tied=table),)
    return replace(
        model,
        blocks=(*(block.moved({"": prefix}) for block in model.blocks), *((Block("", head),) if head else ())),
        defaults=taken(text, "text_config."),
    )


def projection(c: florence_vision.Config) -> tuple[Component, ...]:
    width = c.embed_dim[-1]
    rows, half = c.max_position_embeddings, width // 2
    name = "image_position_embed"
    return (
        Linear("image_projection", width=width, out=c.projection_dim, role=Role.OTHER),
        *norms(c.projection_dim, "image_proj_norm"),
        Embedding(f"{name}.row_embeddings", rows=rows, width=half, role=Role.POSITION),
        Embedding(f"{name}.column_embeddings", rows=rows, width=width - half, role=Role.POSITION),
    )
