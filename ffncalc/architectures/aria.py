"""Aria: Idefics 3's tower, a projector whose learned queries attend the patches, a mixture-of-experts decoder.

The number of queries depends on the size of an image; the table has as many as the largest one asks for.

Source: arXiv:2410.05993, transformers models/aria.
"""

from __future__ import annotations

from ffncalc.architectures._composite import NESTED, CompositeConfig, composite, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.components.media import Array
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Role, Use
from ffncalc.schema import Size


class Config(CompositeConfig):
    projector_patch_to_query_dict: dict[str, Size] | None = None


QUERIES = {"1225": 128, "4900": 256}


def build(c: Config) -> Model:
    text = text_model(c, NESTED, default="aria_text", fixed=True)
    vision = tower(c.vision_config, "vision_tower.", default="idefics3_vision")
    width = vision.width
    return composite(
        c,
        text,
        [vision],
        projector(
            "multi_modal_projector",
            Array("query", shape=(queries(c), width)),
            *cross_attention(width),
            *norms(width, "layer_norm"),
            Linear("feed_forward.linear_in", width=width, out=text.width, role=Role.OTHER),
            Linear("feed_forward.linear_out", width=text.width, out=text.width, role=Role.OTHER),
        ),
    )


def queries(c: Config) -> int:
    """Queries of the largest image.

    Raises:
        ConfigError: the file names none.
    """
    counts = QUERIES if c.projector_patch_to_query_dict is None else c.projector_patch_to_query_dict
    if not counts:
        raise ConfigError(f"{c.key('projector_patch_to_query_dict')}: names no image size")
    return max(counts.values())


def cross_attention(width: int) -> tuple[Component, ...]:
    """Projections without biases, then torch's attention with its own, then a map."""
    name = "cross_attn"
    inner = f"{name}.multihead_attn"
    return (
        *(Linear(f"{name}.{x}_proj", width=width, out=width, role=Role.ATTENTION) for x in "qkv"),
        Array(f"{inner}.in_proj_weight", shape=(3 * width, width), role=Role.ATTENTION, use=Use.MATMUL),
        Array(f"{inner}.in_proj_bias", shape=(3 * width,), role=Role.ATTENTION),
        Linear(f"{inner}.out_proj", width=width, out=width, role=Role.ATTENTION, bias=True),
        Linear(f"{name}.linear", width=width, out=width, role=Role.ATTENTION, bias=True),
        *norms(width, f"{name}.layer_norm", f"{name}.layer_norm_kv"),
    )
