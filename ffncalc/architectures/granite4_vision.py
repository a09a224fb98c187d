"""Granite 4 Vision: a tower, of which several layers feed several layers of a Granite, each through a Q-Former.

The Q-Formers read windows of patches. Some feed states of the tower's layers, four others the four corners of each
square of patches.
Source: https://huggingface.co/ibm-granite/granite-4.0-3b-vision, transformers models/granite4_vision.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear, Vector
from ffncalc.components.media import Array
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Model, Role

CORNERS = 4
HEAD = 64  # width of a head of the Q-Formers
QFORMER: dict[str, Any] = {"num_hidden_layers": 1, "intermediate_size": 3072, "cross_attention_frequency": 1}


class Config(CompositeConfig):
    downsample_rate: str
    deepstack_layer_map: list[list[int]]
    qformer_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="granite4_vision_text", fixed=True)
    root = base(c)
    vision = tower(c.vision_config, f"{root}vision_tower.", default="clip_vision_model")
    queries, window = sides(c)
    width = vision.width
    sizes = {"hidden_size": width, "num_attention_heads": width // HEAD, "encoder_hidden_size": width}
    raw = {**QFORMER, **(c.qformer_config or {}), **sizes}
    names = [
        *(f"{root}layerwise_projectors.{i}" for i, _ in enumerate(c.deepstack_layer_map)),
        *(f"{root}spatial_projectors.{i}" for i in range(CORNERS)),
    ]
    readers = [tower(raw, f"{name}.qformer.", default="blip_2_qformer", key="qformer_config.") for name in names]
    around = (
        *norms(width, "norm"),
        Array("query", shape=(1, queries * queries, width)),
        Array("image_positions", shape=(1, window * window, width)),
        Linear("out_linear", width=width, out=text.width, role=Role.OTHER, bias=True),
    )
    newline = projector(root.removesuffix("."), Vector("image_newline", width=text.width, role=Role.OTHER))
    return composite(c, text, [vision, *readers], newline, *(projector(name, *around) for name in names))


def sides(c: Config) -> tuple[int, int]:
    """The sides of a square of queries and of the window that it reads, from `downsample_rate` ("4/8").

    Raises:
        ConfigError: it is no such pair.
    """
    parts = c.downsample_rate.split("/")
    if len(parts) != 2 or not all(part.isdigit() and 0 < len(part) < 4 and int(part) for part in parts):
        raise ConfigError(f"{c.key('downsample_rate')}: expected two sides such as 4/8, got {shown(c.downsample_rate)}")
    return int(parts[0]), int(parts[1])
