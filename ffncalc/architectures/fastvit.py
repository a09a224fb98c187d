"""FastViT-HD, the tower that FastVLM names `fastvit_mci3`: convolutions in three stages, attention in two.

The branches that training adds beside each convolution are merged in the published weights. The config names the
network only; its sizes are fixed.

Source: arXiv:2303.14189 (FastViT), arXiv:2412.13303; timm's fastvit.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array, Convolution
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import BaseConfig, Size

NETWORK = "fastvit_mci3"
WIDTHS, DEPTHS = (96, 192, 384, 768, 1536), (2, 12, 24, 4, 2)
ATTENDING = (3, 4)  # stages
EXPANSION, OUT, SQUEEZE = 4, 3072, 16


class Config(BaseConfig):
    architecture_name: str = NETWORK
    model_args: dict[str, Any] | None = None
    hidden_size: Size = OUT
    aliases = {"architecture_name": ("architecture",)}


def build(c: Config) -> Model:
    """The tower with its branches merged.

    Raises:
        ConfigError: another network is named, or branches are kept apart.
    """
    if c.architecture_name != NETWORK:
        raise ConfigError(f"{c.key('architecture_name')}: only {NETWORK} is known, got {shown(c.architecture_name)}")
    if not (c.model_args or {}).get("inference_mode"):
        raise ConfigError(f"{c.key('model_args')}: only networks in inference_mode are known")
    stages = tuple(block for i in range(len(WIDTHS)) for block in stage(i))
    blocks = (Block("", stem(), causal=False), *stages, Block("", last(), causal=False))
    return Model(model_type=c.model_type, architecture=c.architecture, width=c.hidden_size, blocks=blocks)


def stem() -> tuple[Component, ...]:
    width = WIDTHS[0]
    return (merged("stem.0", 3, width, 3), merged("stem.1", 1, width, 3), merged("stem.2", width, width, 1))


def stage(i: int) -> tuple[Block, ...]:
    """The convolutions that halve the image, then the blocks."""
    name, width = f"stages.{i}", WIDTHS[i]
    halving = (merged("downsample.proj.0", 1, width, 7), merged("downsample.proj.1", width, width, 1))
    before = (*(halving if i else ()), *((merged("pos_emb", 1, width, 7),) if i in ATTENDING else ()))
    parts = (*(attention(width) if i in ATTENDING else mixing(width)), *feed_forward(width))
    inner = Block(f"{name}.blocks.{{}}", parts, indexes=tuple(range(DEPTHS[i])), causal=False)
    return (Block(name, before, causal=False), inner) if before else (inner,)


def mixing(width: int) -> tuple[Component, ...]:
    return merged("token_mixer", 1, width, 3), Array("layer_scale.gamma", shape=(width, 1, 1))


def attention(width: int) -> tuple[Component, ...]:
    return (
        *norms(width, "norm"),
        Linear("token_mixer.qkv", width=width, out=3 * width, role=Role.ATTENTION),
        Linear("token_mixer.proj", width=width, out=width, role=Role.ATTENTION, bias=True),
        Array("layer_scale_1.gamma", shape=(width, 1, 1)),
        Array("layer_scale_2.gamma", shape=(width, 1, 1)),
    )


def feed_forward(width: int) -> tuple[Component, ...]:
    """A depthwise convolution with a batch norm, and two maps."""
    hidden = EXPANSION * width
    return (
        Convolution("mlp.conv.conv", channels=1, out=width, kernel=(7, 7)),
        *norms(width, "mlp.conv.bn"),
        Convolution("mlp.fc1", channels=width, out=hidden, kernel=(1, 1), bias=True),
        Convolution("mlp.fc2", channels=hidden, out=width, kernel=(1, 1), bias=True),
    )


def last() -> tuple[Component, ...]:
    """A convolution that doubles the channels, and a gate on them (arXiv:1709.01507)."""
    inner = OUT // SQUEEZE
    return (
        merged("final_conv", 1, OUT, 3),
        Convolution("final_conv.se.fc1", channels=OUT, out=inner, kernel=(1, 1), bias=True),
        Convolution("final_conv.se.fc2", channels=inner, out=OUT, kernel=(1, 1), bias=True),
    )


def merged(name: str, channels: int, out: int, side: int) -> Convolution:
    return Convolution(f"{name}.reparam_conv", channels=channels, out=out, kernel=(side, side), bias=True)
