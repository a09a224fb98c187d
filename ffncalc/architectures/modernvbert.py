"""ModernVBERT: a SigLIP tower, patches merged by pixel shuffle, one linear map, a ModernBERT.

Source: arXiv:2510.01149, transformers models/modernvbert.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures import modernbert
from ffncalc.architectures._composite import CompositeConfig, base, composite, part, projector, taken, tower
from ffncalc.architectures._encoder import labels
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import Size

TEXT = "text_config."


class Config(CompositeConfig):
    pixel_shuffle_factor: Size = 4
    num_labels: Size | None = None
    id2label: dict[str, Any] | None = None


def build(c: Config) -> Model:
    own = part(modernbert.Config, c.text_config, "modernbert", key=TEXT)
    layers = modernbert.build(own.replace(architectures=["Model"]))
    below = base(c)
    head = heads(c, own)
    text = replace(
        layers,
        blocks=(
            *(block.moved({"": f"{below}text_model."}) for block in layers.blocks),
            *((Block("", head, causal=False),) if head else ()),
        ),
        defaults=taken(own, TEXT),
    )
    vision = tower(c.vision_config, f"{below}vision_model.", default="siglip_vision_model")
    merged = vision.width * c.pixel_shuffle_factor * c.pixel_shuffle_factor
    linear = Linear("modality_projection", width=merged, out=text.width, role=Role.OTHER)
    return composite(c, text, [vision], projector(f"{below}connector", linear))


def heads(c: Config, text: modernbert.Config) -> tuple[Component, ...]:
    """What the class adds: a square map, a norm, and words or labels."""
    task = task_of(c.architecture, Task.MASKED_LM)
    if task is Task.BASE:
        return ()
    width, words = text.hidden_size, task not in (Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION)
    name = "projection_head" if words else "head"
    table = "model.text_model.embeddings.tok_embeddings.weight" if c.tie_word_embeddings else ""
    return (
        Linear(f"{name}.dense", width=width, out=width, bias=text.classifier_bias),
        Norm(f"{name}.norm", width=width, bias=text.norm_bias),
        Linear("lm_head", width=width, out=text.vocab_size, bias=text.decoder_bias, tied=table)
        if words
        else Linear("classifier", width=width, out=labels(c.num_labels, c.id2label, 2), bias=True),
    )
