"""XVERSE: Llama under a name of its own.

Source: modeling_xverse.py of https://huggingface.co/xverse/XVERSE-7B.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.errors import ConfigError
from ffncalc.ir import Model
from ffncalc.schema import Count


class Config(dense.Config):
    num_experts: Count | None = None


def build(c: Config) -> Model:
    if c.num_experts:
        raise ConfigError("num_experts: set, and the mixtures of experts of this type are not described")
    return dense.model(c, dense.Row())
