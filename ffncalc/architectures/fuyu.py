"""Fuyu: a Persimmon that reads patches of an image through one linear map, without a tower.

Older files have the fields of the language model outside of `text_config`.

Source: https://www.adept.ai/blog/fuyu-8b, transformers models/fuyu.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    patch_size: Size = 30
    num_channels: Size = 3
    flat: bool = False  # whether the fields of the language model stand outside; set by `parse`

    @classmethod
    def parse(
        cls, raw: Mapping[str, Any], defaults: Mapping[str, Any], *, prefix: str = "", nested: bool = False
    ) -> Self:
        """As usual; a file with sizes of its own is its own text config."""
        inner = raw.get("text_config")
        flat = "hidden_size" in raw and not (isinstance(inner, dict) and "hidden_size" in inner)
        own = {**raw, "flat": flat, **({"text_config": {**raw, "model_type": "persimmon"}} if flat else {})}
        return super().parse(own, defaults, prefix=prefix, nested=nested)


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="persimmon", prefix="" if c.flat else "text_config.")
    patch = c.patch_size * c.patch_size * c.num_channels
    return composite(
        c,
        text,
        [],
        projector("", Linear("vision_embed_tokens", width=patch, out=text.width, role=Role.OTHER, bias=True)),
    )
