"""The frame of a tower: patch embedding, encoder layers, and what follows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ffncalc.architectures._decoder import divided
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError
from ffncalc.ir import Block, Component, Model, layers
from ffncalc.schema import BaseConfig, Count, Depth, Size


class TowerConfig(BaseConfig):
    """Fields that most vision towers have. Defaults that differ by family are in defaults.json."""

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Depth
    num_attention_heads: Size
    num_channels: Size = 3
    image_size: Size | list[Size] = 224
    patch_size: Size | list[Size]
    hidden_act: str = "gelu"

    @property
    def head_size(self) -> int:
        """hidden_size / num_attention_heads.

        Raises:
            ConfigError: it is no integer.
        """
        return divided(self, "hidden_size", "num_attention_heads")

    @property
    def patch(self) -> tuple[int, int]:
        """Height and width of a patch."""
        return pair(self.patch_size)

    @property
    def patches(self) -> int:
        """Patches of one image of the size the positions are made for; what is cut off at its edge does not count."""
        image = pair(self.image_size)
        down, across = (size // patch for size, patch in zip(image, self.patch, strict=True))
        return down * across


class LoopConfig(BaseConfig):
    """Fields of the towers that Qwen2-VL's descends to: images as short films, patches merged at the end."""

    depth: Depth
    hidden_size: Size
    num_heads: Size
    in_channels: Size = 3
    patch_size: Size
    spatial_merge_size: Size = 2
    temporal_patch_size: Size = 2
    hidden_act: str = "silu"

    @property
    def kernel(self) -> tuple[int, int, int]:
        """Frames, height and width of a patch."""
        return (self.temporal_patch_size, self.patch_size, self.patch_size)

    @property
    def head_size(self) -> int:
        """hidden_size / num_heads.

        Raises:
            ConfigError: it is no integer.
        """
        return divided(self, "hidden_size", "num_heads")


def pair(size: int | Sequence[int]) -> tuple[int, int]:
    """Height and width of a size that may be one number for both.

    Raises:
        ConfigError: it is an empty list.
    """
    if isinstance(size, int):
        return size, size
    if not size:
        raise ConfigError("image_size, patch_size: a list must hold one or two sizes")
    height, width = size[0], size[-1]
    return height, width


def attention(
    name: str, width: int, heads: int, names: Projections, *, bias: bool = True, out_bias: bool = True
) -> Attention:
    """Attention of as many key/value heads as heads, together as wide as the tower."""
    return Attention(
        name,
        width=width,
        heads=heads,
        kv_heads=heads,
        head_dim=width // heads,
        qkv_bias=bias,
        out_bias=out_bias,
        names=names,
    )


def spectrum(bins: int, width: int) -> tuple[Convolution, Convolution]:
    """The two convolutions over a mel spectrum that Whisper's encoder and its kin begin with."""
    return (
        Convolution("conv1", channels=bins, out=width, kernel=(3,), bias=True),
        Convolution("conv2", channels=width, out=width, kernel=(3,), bias=True),
    )


def norms(width: int, *names: str, bias: bool = True) -> tuple[Norm, ...]:
    """LayerNorms, or RMSNorms without a `bias`."""
    return tuple(Norm(name, width=width, bias=bias) for name in names)


def encoder_tower(
    c: BaseConfig,
    width: int,
    depth: Count,
    layer: Callable[[int], tuple[Component, ...]],
    *,
    base: str = "",
    before: Sequence[Component],
    stack: str,
    after: Sequence[Component] = (),
    head: Sequence[Component] = (),
) -> Model:
    """A tower whose layer `i` has the parts `layer(i)`, with parts before and after, all under `base` but `head`."""
    return Model(
        model_type=c.model_type,
        architecture=c.architecture,
        width=width,
        blocks=(
            Block(base, tuple(before), causal=False),
            *layers(f"{base}.{stack}.{{}}" if base else f"{stack}.{{}}", depth, layer, causal=False),
            *((Block(base, tuple(after), causal=False),) if after else ()),
            *((Block("", tuple(head), causal=False),) if head else ()),
        ),
    )
