"""Emu3: a Llama whose words are text and codes of images, and the tokenizer that makes and draws these codes.

Source: arXiv:2409.18869, transformers models/emu3.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import CompositeConfig, Names, composite, text_model, tower
from ffncalc.ir import Model

NAMES = Names(head={"": "text_model."}, bare="text_model.model.")


class Config(CompositeConfig):
    vq_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    text = text_model(c, NAMES, default="emu3_text_model", fixed=True)
    return composite(c, text, [tower(c.vq_config, "vqmodel.", default="emu3_vqgan", fixed=True, key="vq_config.")])
