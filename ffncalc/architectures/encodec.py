"""EnCodec: convolutions that shorten the sound and an LSTM, and the same backwards; what lies between is codebooks.

The codebooks are buffers. Weights are stored as a size per channel and a direction (weight norm, arXiv:1602.07868),
or have a norm after them.
Source: arXiv:2210.13438, transformers models/encodec.
"""

from __future__ import annotations

from typing import Literal

from ffncalc.components.media import Array, Convolution
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role, Use
from ffncalc.schema import BaseConfig, Few, Size


class Config(BaseConfig):
    audio_channels: Size = 1
    hidden_size: Size = 128
    num_filters: Size = 32
    num_residual_layers: Few = 1
    upsampling_ratios: list[Size] = [8, 5, 4, 2]
    norm_type: Literal["weight_norm", "time_group_norm"] = "weight_norm"
    kernel_size: Size = 7
    last_kernel_size: Size = 7
    residual_kernel_size: Size = 3
    compress: Size = 2
    num_lstm_layers: Few = 2
    use_conv_shortcut: bool = True


def build(c: Config) -> Model:
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=c.hidden_size,
        blocks=(
            Block("", tuple(encoder(c, "encoder.layers")), causal=False),
            Block("", tuple(decoder(c, "decoder.layers")), causal=False),
        ),
    )


def encoder(c: Config, name: str) -> list[Component]:
    """A convolution; for each ratio residual blocks and one that shortens and doubles the channels; LSTM; the last.

    Activations have numbers of their own in the list of layers, and no weights.
    """
    parts = [*conv(c, f"{name}.0", c.audio_channels, c.num_filters, c.kernel_size)]
    width, at = c.num_filters, 1
    for ratio in reversed(c.upsampling_ratios):
        for i in range(c.num_residual_layers):
            parts += residual(c, f"{name}.{at + i}", width)
        at += c.num_residual_layers + 1
        parts += conv(c, f"{name}.{at}", width, 2 * width, 2 * ratio)
        width, at = 2 * width, at + 1
    return [
        *parts,
        *lstm(c, f"{name}.{at}", width),
        *conv(c, f"{name}.{at + 2}", width, c.hidden_size, c.last_kernel_size),
    ]


def decoder(c: Config, name: str) -> list[Component]:
    """The encoder backwards: each ratio lengthens, halves the channels, and residual blocks follow."""
    width = c.num_filters * 2 ** len(c.upsampling_ratios)
    parts = [*conv(c, f"{name}.0", c.hidden_size, width, c.kernel_size), *lstm(c, f"{name}.1", width)]
    at = 2
    for ratio in c.upsampling_ratios:
        half = width // 2
        parts += conv(c, f"{name}.{at + 1}", width, half, 2 * ratio, transposed=True)
        for i in range(c.num_residual_layers):
            parts += residual(c, f"{name}.{at + 2 + i}", half)
        width, at = half, at + 2 + c.num_residual_layers
    return [*parts, *conv(c, f"{name}.{at + 1}", c.num_filters, c.audio_channels, c.last_kernel_size)]


def conv(c: Config, name: str, width: int, out: int, kernel: int, *, transposed: bool = False) -> tuple[Component, ...]:
    """A convolution [out, width, kernel], a transposed one [width, out, kernel], with its norm."""
    rows, columns = (width, out) if transposed else (out, width)
    bias = Array(f"{name}.conv.bias", shape=(out,), use=Use.ELEMENTWISE)
    if c.norm_type == "weight_norm":
        weight = f"{name}.conv.parametrizations.weight.original"
        return (
            Array(f"{weight}0", shape=(rows, 1, 1), use=Use.ELEMENTWISE),
            Array(f"{weight}1", shape=(rows, columns, kernel), use=Use.MATMUL),
            bias,
        )
    return (
        Convolution(f"{name}.conv", channels=columns, out=rows, kernel=(kernel,)),
        bias,
        Norm(f"{name}.norm", width=out, bias=True),
    )


def residual(c: Config, name: str, width: int) -> tuple[Component, ...]:
    """Two convolutions with fewer channels between them, and one around them where the file says so."""
    inner = width // c.compress
    return (
        *conv(c, f"{name}.block.1", width, inner, c.residual_kernel_size),
        *conv(c, f"{name}.block.3", inner, width, 1),
        *(conv(c, f"{name}.shortcut", width, width, 1) if c.use_conv_shortcut else ()),
    )


def lstm(c: Config, name: str, width: int) -> tuple[Component, ...]:
    """torch's LSTM: four gates, from the input (ih) and from the state (hh)."""
    return tuple(
        part
        for i in range(c.num_lstm_layers)
        for way in ("ih", "hh")
        for part in (
            Array(f"{name}.lstm.weight_{way}_l{i}", shape=(4 * width, width), role=Role.MIXER, use=Use.MATMUL),
            Array(f"{name}.lstm.bias_{way}_l{i}", shape=(4 * width,), role=Role.MIXER, use=Use.ELEMENTWISE),
        )
    )
