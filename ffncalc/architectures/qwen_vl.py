"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL: a vision tower that ends in the language model's width, and a Qwen decoder.

Rotary positions in three axes (M-RoPE) have no weights. Qwen2-VL and 2.5 publish flat files: the language model's
fields stand outside, with no `text_config`.

Sources: arXiv:2409.12191, arXiv:2502.13923, arXiv:2511.21631; transformers models/qwen{2,2_5,3}_vl, qwen3_vl_moe.
"""

from __future__ import annotations

from ffncalc.architectures._composite import FLAT, INSIDE, FlatConfig, base, composite, text_model, tower
from ffncalc.ir import Model


class Config(FlatConfig):
    pass


def build(c: Config) -> Model:
    old = c.model_type in ("qwen2_vl", "qwen2_5_vl")
    text = text_model(
        c,
        FLAT if old else INSIDE,
        default=f"{c.model_type}_text",
        fixed=True,
        either=old,
        prefix=c.text_prefix,
    )
    vision = tower(
        c.vision_config,
        "visual." if old else f"{base(c)}visual.",
        default=f"{c.model_type}_vision",
        fixed=True,
    )
    return composite(c, text, [vision])
