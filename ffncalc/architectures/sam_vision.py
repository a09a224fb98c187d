"""SAM's image encoder, also the tower of GOT-OCR 2 and of DeepSeek-VL's high resolution: windows in most layers.

Scores get learned biases by distance along each axis, of a window or of the whole image.

Source: arXiv:2304.02643, transformers models/{sam,got_ocr2}.
"""

from __future__ import annotations

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms, pair
from ffncalc.components.attention import Projections
from ffncalc.components.ffn import FFN
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Count, Ratio, Size


class Config(TowerConfig):
    intermediate_size: Size = 3072  # never used
    mlp_dim: Size | None = None  # none: mlp_ratio times the width
    mlp_ratio: Ratio = 4.0
    output_channels: Size = 256
    qkv_bias: bool = True
    use_abs_pos: bool = True
    use_rel_pos: bool = True
    window_size: Size = 14
    global_attn_indexes: list[Count] = [2, 5, 8, 11]

    @property
    def grid(self) -> tuple[int, int]:
        """Patches of an image, down and across."""
        side = pair(self.image_size)[0]
        return side // self.patch[0], side // self.patch[1]


def build(c: Config) -> Model:
    width = c.hidden_size
    ffn = FFN(
        "mlp",
        width=width,
        hidden=c.mlp_dim or int(width * c.mlp_ratio),
        activation=c.hidden_act,
        bias=True,
        up="lin1",
        down="lin2",
    )
    rest = (ffn, *norms(width, "layer_norm1", "layer_norm2"))
    names = Projections(fused="qkv", o="proj")
    attends = attention("attn", width, c.num_attention_heads, names, bias=c.qkv_bias)
    whole = (attends, *distances(c, c.grid), *rest)
    windowed = (attends, *distances(c, (c.window_size, c.window_size)), *rest)
    return encoder_tower(
        c,
        width,
        c.num_hidden_layers,
        lambda i: whole if i in c.global_attn_indexes else windowed,
        base="vision_encoder" if c.model_type == "sam_vision_model" else "",
        before=(
            Convolution("patch_embed.projection", channels=c.num_channels, out=width, kernel=c.patch, bias=True),
            *((Array("pos_embed", shape=(1, *c.grid, width), role=Role.POSITION),) if c.use_abs_pos else ()),
        ),
        stack="layers",
        after=neck("neck", width, c.output_channels),
    )


def distances(c: Config, sides: tuple[int, int]) -> tuple[Component, ...]:
    """Biases by distance within `sides`, from each head's query."""
    if not c.use_rel_pos:
        return ()
    names = ("attn.rel_pos_h", "attn.rel_pos_w")
    return tuple(Array(name, shape=(2 * n - 1, c.head_size)) for name, n in zip(names, sides, strict=True))


def neck(name: str, width: int, out: int) -> tuple[Component, ...]:
    """Two convolutions without biases, a norm after each."""
    return (
        Convolution(f"{name}.conv1", channels=width, out=out, kernel=(1, 1)),
        Convolution(f"{name}.conv2", channels=out, out=out, kernel=(3, 3)),
        *norms(out, f"{name}.layer_norm1", f"{name}.layer_norm2"),
    )
