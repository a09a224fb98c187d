"""LFM2-VL: a SigLIP 2 tower, patches merged by pixel unshuffle, a projector of two layers, an LFM2.

Source: arXiv:2511.23404, transformers models/lfm2_vl.
"""

from __future__ import annotations

from ffncalc.architectures._composite import INSIDE, CompositeConfig, base, composite, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(CompositeConfig):
    aliases = {"tie_word_embeddings": ("tie_embedding",)}
    projector_hidden_size: Size = 2560
    projector_bias: bool = True
    projector_use_layernorm: bool = True
    downsample_factor: Size = 2


def build(c: Config) -> Model:
    text = text_model(c, INSIDE, default="lfm2")
    vision = tower(c.vision_config, f"{base(c)}vision_tower.", default="siglip2_vision_model")
    merged, hidden = vision.width * c.downsample_factor * c.downsample_factor, c.projector_hidden_size
    return composite(
        c,
        text,
        [vision],
        projector(
            f"{base(c)}multi_modal_projector",
            *(norms(merged, "layer_norm") if c.projector_use_layernorm else ()),
            Linear("linear_1", width=merged, out=hidden, role=Role.OTHER, bias=c.projector_bias),
            Linear("linear_2", width=hidden, out=text.width, role=Role.OTHER, bias=c.projector_bias),
        ),
    )
