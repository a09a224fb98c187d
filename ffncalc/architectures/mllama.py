"""Llama 3.2 Vision: a tower on tiles of an image, one linear map, a Llama with cross attention to what it sees.

The patches of the image are the source that the cross attention reads, in place of tokens of their own.

Source: arXiv:2407.21783 section 7, transformers models/mllama.
"""

from __future__ import annotations

from ffncalc.architectures._composite import FLAT, NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    if task_of(c.architecture, Task.CONDITIONAL_GENERATION) is Task.CAUSAL_LM:
        return composite(c, text_model(c, FLAT, default="mllama_text_model", fixed=True, ties=False), [])
    text = text_model(c, NESTED, default="mllama_text_model", fixed=True, ties=False)
    vision = tower(c.vision_config, "vision_model.", default="mllama_vision_model", fixed=True)
    linear = Linear("multi_modal_projector", width=vision.width, out=text.width, role=Role.OTHER, bias=True)
    return composite(c, text, [vision], projector("", linear))
