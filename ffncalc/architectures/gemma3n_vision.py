"""Gemma 3n's vision tower, MobileNet-V5 (300M encoder): inverted residuals, then multi-query attention between them.

The config names the network and nothing of its shape, so its stages are written down here.

Source: timm models/mobilenetv5.py (mobilenetv5_300m_enc), arXiv:2404.10518 (MobileNetV4, whose blocks it has).
"""

from __future__ import annotations

from collections.abc import Iterator

from ffncalc.components.embedding import Vector
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import BaseConfig, Size

ARCHITECTURE = "mobilenetv5_300m_enc"
STEM, FUSED = 64, 2048  # channels of the first convolution, and of the output that fuses the last two stages


class Config(BaseConfig):
    architecture_name: str = ARCHITECTURE
    aliases = {"architecture_name": ("architecture",)}
    hidden_size: Size = FUSED
    vocab_size: Size = 128


Layer = tuple[Component, ...]


def build(c: Config) -> Model:
    if c.architecture_name != ARCHITECTURE:
        raise ConfigError(
            f"{c.key('architecture_name')}: only {ARCHITECTURE} is known, got {shown(c.architecture_name)}"
        )
    stages: list[list[Layer]] = [
        list(edges(STEM, 128, count=3)),
        list(inverted(128, 256, first=(3, 5), kernels=(5, 3, 5, 3))),
        [
            *inverted(256, 640, first=(5, 5), kernels=(5,) * 7),
            residual(640, 640, 640),
            *attentive(640, heads=12, head_dim=64, down=True, count=14),
        ],
        [*inverted(640, 1280, first=(5, 5)), *attentive(1280, heads=16, head_dim=96, down=False, count=19)],
    ]
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(
            Block("timm_model", normed("conv_stem", 3, STEM, 3, bias=True), causal=False),
            *(
                block
                for i, stage in enumerate(stages)
                for block in layers(f"timm_model.blocks.{i}.{{}}", len(stage), stage.__getitem__, causal=False)
            ),
            Block("timm_model.msfa", fusion(640 + 1280), causal=False),
        ),
    )


def normed(name: str, channels: int, out: int, kernel: int = 1, *, bias: bool = False) -> tuple[Component, ...]:
    """A convolution and its norm; a depthwise one reads one channel."""
    return (
        Convolution(f"{name}.conv", channels=channels, out=out, kernel=(kernel, kernel), bias=bias),
        Norm(f"{name}.bn", width=out),
    )


def edges(channels: int, out: int, *, count: int) -> Iterator[Layer]:
    """Residuals that begin with a full convolution to four times the channels."""
    for width in (channels, *[out] * (count - 1)):
        inner = 4 * width
        yield (
            Convolution("conv_exp", channels=width, out=inner, kernel=(3, 3)),
            Norm("bn1", width=inner),
            Convolution("conv_pwl", channels=inner, out=out, kernel=(1, 1)),
            Norm("bn2", width=out),
        )


def inverted(channels: int, out: int, *, first: tuple[int, int], kernels: tuple[int, ...] = ()) -> Iterator[Layer]:
    """Inverted residuals: the first of six times the channels with two depthwise convolutions, the others of four."""
    yield residual(channels, 6 * channels, out, *first)
    for kernel in kernels:
        yield residual(out, 4 * out, out, kernel)


def residual(channels: int, inner: int, out: int, start: int = 0, mid: int = 0) -> Layer:
    """Depthwise `start`, expansion, depthwise `mid`, projection; a kernel of 0 leaves a convolution out."""
    return (
        *(normed("dw_start", 1, channels, start) if start else ()),
        *normed("pw_exp", channels, inner),
        *(normed("dw_mid", 1, inner, mid) if mid else ()),
        *normed("pw_proj", inner, out),
        Vector("layer_scale.gamma", width=out, role=Role.OTHER),
    )


def attentive(width: int, *, heads: int, head_dim: int, down: bool, count: int) -> Iterator[Layer]:
    """Pairs of attention with one key/value head, on a coarser map where `down`, and a residual of twice the width."""
    smaller = [
        part
        for name in ("key", "value")
        for part in (
            Convolution(f"attn.{name}.down_conv", channels=1, out=width, kernel=(3, 3)),
            Norm(f"attn.{name}.norm", width=width),
        )
    ]
    attention = (
        Norm("norm", width=width),
        point("attn.query.proj", width, heads * head_dim),
        point("attn.key.proj", width, head_dim),
        point("attn.value.proj", width, head_dim),
        point("attn.output.proj", heads * head_dim, width),
        *(smaller if down else ()),
        Vector("layer_scale.gamma", width=width, role=Role.OTHER),
    )
    wide = residual(width, 2 * width, width)
    for _ in range(count):
        yield attention
        yield wide


def point(name: str, channels: int, out: int) -> Convolution:
    return Convolution(name, channels=channels, out=out, kernel=(1, 1), role=Role.ATTENTION)


def fusion(channels: int) -> tuple[Component, ...]:
    """The adapter that fuses the last two stages."""
    return (
        *normed("ffn.pw_exp", channels, 2 * channels),
        *normed("ffn.pw_proj", 2 * channels, FUSED),
        Norm("norm", width=FUSED),
    )
