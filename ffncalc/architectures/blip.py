"""BLIP: a ViT, and BERTs that attend it; the class decides which: one that writes, one that reads, or both.

Source: arXiv:2201.12086, transformers models/blip.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import blip_text
from ffncalc.architectures._composite import CompositeConfig, composite, part, projector, taken, tower
from ffncalc.architectures._encoder import pooler
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.ir import Block, Model, Role
from ffncalc.schema import Size

TEXT = "text_config."


class Config(CompositeConfig):
    projection_dim: Size = 512
    image_text_hidden_size: Size = 256


def build(c: Config) -> Model:
    vision = tower(c.vision_config, "vision_model.", default="blip_vision_model", fixed=True)
    own = part(blip_text.Config, {**c.text_config, "model_type": "blip_text_model"}, "", key=TEXT)
    own = own.replace(encoder_hidden_size=vision.width)
    text = Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=own.hidden_size,
        blocks=texts(c, own),
        max_context=own.max_position_embeddings,
        defaults=taken(own, TEXT),
    )
    return composite(c, text, [vision], *ends(c, vision.width))


def texts(c: Config, text: blip_text.Config) -> tuple[Block, ...]:
    """The text models of the class."""
    task = task_of(c.architecture, Task.CONDITIONAL_GENERATION)
    width = text.hidden_size
    if task is Task.BASE:
        head = Linear("text_projection", width=width, out=c.projection_dim, role=Role.OTHER)
        scale = Array("logit_scale", shape=())
        return (*blip_text.stack(text, "text_model."), Block("text_model", (pooler(text),)), Block("", (head, scale)))
    if c.architecture.endswith("ForImageTextRetrieval"):
        out = c.image_text_hidden_size
        heads = (
            Linear("text_proj", width=width, out=out, role=Role.OTHER, bias=True, once=True),
            Linear("itm_head", width=width, out=2, role=Role.HEAD, bias=True, once=True),
        )
        return (*blip_text.stack(text, "text_encoder."), Block("", heads))
    written = blip_text.decoder(text, "text_decoder.")
    if task is not Task.QUESTION_ANSWERING:
        return written
    question = tuple(replace(block, causal=False) for block in blip_text.stack(text, "text_encoder."))
    return (*question, *written)


def ends(c: Config, width: int) -> tuple[Block, ...]:
    """The map of an image to the space that it shares with texts, where the class has one."""
    if c.architecture.endswith("BlipModel"):
        return (projector("", Linear("visual_projection", width=width, out=c.projection_dim, role=Role.OTHER)),)
    if c.architecture.endswith("ForImageTextRetrieval"):
        out = c.image_text_hidden_size
        return (projector("", Linear("vision_proj", width=width, out=out, role=Role.OTHER, bias=True)),)
    return ()
