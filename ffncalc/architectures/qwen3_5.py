"""Qwen3.5 and Qwen3.5 with experts: a Gated DeltaNet hybrid that sees images and films through Qwen3-VL's tower.

Source: https://huggingface.co/Qwen/Qwen3.5-27B, https://huggingface.co/Qwen/Qwen3.5-35B-A3B; transformers
models/qwen3_5 and models/qwen3_5_moe.
"""

from __future__ import annotations

from ffncalc.architectures._composite import FLAT, INSIDE, CompositeConfig, base, composite, text_model, tower
from ffncalc.architectures._task import Task, task_of
from ffncalc.ir import Model


class Config(CompositeConfig):
    pass


def build(c: Config) -> Model:
    if task_of(c.architecture, Task.CONDITIONAL_GENERATION) is Task.CAUSAL_LM:  # the language model alone
        return composite(c, text_model(c, FLAT, default=f"{c.model_type}_text", fixed=True), [])
    text = text_model(c, INSIDE, default=f"{c.model_type}_text", fixed=True)
    vision = tower(c.vision_config, f"{base(c)}visual.", default=f"{c.model_type}_vision", fixed=True)
    return composite(c, text, [vision])
