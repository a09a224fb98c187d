"""MiniCPM-V 4.6: a SigLIP tower that merges patches midway, mergers of two layers, a Qwen 3.5.

Source: transformers models/minicpmv4_6.
"""

from __future__ import annotations

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Few

SQUARE = 4  # patches that one merger lays side by side


class Config(CompositeConfig):
    merger_times: Few = 1


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="qwen3_5_text")
    vision = tower(c.vision_config, f"{base(c)}vision_tower.", default="minicpmv4_6_vision", fixed=True)
    outs = [*[vision.width] * (c.merger_times - 1), text.width]
    parts = [part for i, out in enumerate(outs) for part in merger(f"mlp.{i}", vision.width, out)]
    return composite(c, text, [vision], projector(f"{base(c)}merger", *parts))


def merger(name: str, width: int, out: int) -> tuple[Component, ...]:
    merged = SQUARE * width
    return (
        *norms(merged, f"{name}.pre_norm"),
        Linear(f"{name}.linear_1", width=merged, out=merged, role=Role.OTHER, bias=True),
        Linear(f"{name}.linear_2", width=merged, out=out, role=Role.OTHER, bias=True),
    )
