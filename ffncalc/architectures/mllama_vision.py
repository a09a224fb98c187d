"""The vision tower of Llama 3.2 Vision: a ViT on tiles of an image, then gated layers over all tiles.

A learned gate adds positions of patches and tiles, which depend on the image's aspect ratio (row 0: padding).

Source: arXiv:2407.21783 section 7, transformers models/mllama.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._tower import TowerConfig, attention, encoder_tower, norms
from ffncalc.components.attention import SEPARATE
from ffncalc.components.embedding import Embedding, Vector
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.media import Array, Convolution
from ffncalc.ir import Block, Component, Model, Role, layers
from ffncalc.schema import Depth, Size

ASPECT_RATIOS = 8  # of at most four tiles


class Config(TowerConfig):
    aliases = {"num_attention_heads": ("attention_heads",)}
    num_global_layers: Depth
    vision_output_dim: Size = 7680
    max_num_tiles: Size = 4
    supported_aspect_ratios: list[list[Size]] | None = None

    @property
    def ratios(self) -> int:
        """Rows of a table by aspect ratio."""
        return 1 + (ASPECT_RATIOS if self.supported_aspect_ratios is None else len(self.supported_aspect_ratios))


def build(c: Config) -> Model:
    layer = (
        attention("self_attn", c.hidden_size, c.num_attention_heads, SEPARATE, bias=False, out_bias=False),
        fc1_fc2("mlp", c.hidden_size, c.intermediate_size, c.hidden_act),
        *norms(c.hidden_size, "input_layernorm", "post_attention_layernorm"),
    )
    local = encoder_tower(
        c,
        c.vision_output_dim,
        c.num_hidden_layers,
        lambda i: layer,
        before=embeddings(c),
        stack="transformer.layers",
        after=norms(c.hidden_size, "layernorm_post"),
    )
    return replace(local, blocks=(*local.blocks, *over_tiles(c, layer)))


def over_tiles(c: Config, layer: tuple[Component, ...]) -> tuple[Block, ...]:
    """The layers over all tiles: the same as those before, with a gate on each branch."""
    gated = (*layer, Vector("gate_attn", width=1, role=Role.OTHER), Vector("gate_ffn", width=1, role=Role.OTHER))
    by_tile = tiles(c, "post_tile_positional_embedding")
    return (
        Block("", by_tile, causal=False),
        *layers("global_transformer.layers.{}", c.num_global_layers, lambda i: gated, causal=False),
    )


def tiles(c: Config, name: str) -> tuple[Component, ...]:
    """A position for each tile of each aspect ratio, and its gate."""
    return (
        Embedding(f"{name}.embedding", rows=c.ratios, width=c.max_num_tiles * c.hidden_size, role=Role.POSITION),
        Vector(f"{name}.gate", width=1, role=Role.OTHER),
    )


def embeddings(c: Config) -> tuple[Component, ...]:
    width, name, rows = c.hidden_size, "gated_positional_embedding", c.patches + 1
    return (
        Convolution("patch_embedding", channels=c.num_channels, out=width, kernel=c.patch),
        Vector("class_embedding", width=width, role=Role.OTHER),
        Array(f"{name}.embedding", shape=(rows, width), role=Role.POSITION),
        Vector(f"{name}.gate", width=1, role=Role.OTHER),
        Embedding(f"{name}.tile_embedding", rows=c.ratios, width=c.max_num_tiles * rows * width, role=Role.POSITION),
        *tiles(c, "pre_tile_positional_embedding"),
        *norms(width, "layernorm_pre"),
    )
