"""InternLM3: Llama under other names of its flags.

Source: https://huggingface.co/internlm/internlm3-8b-instruct, transformers models/internlm3.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.ir import Model


class Config(dense.Config):
    aliases = dense.Config.aliases | {"attention_bias": ("qkv_bias",), "mlp_bias": ("bias",)}


def build(c: Config) -> Model:
    return dense.model(c, dense.ROWS["llama"])
