"""PaddleOCR-VL: a SigLIP tower, a projector of two layers on merged patches, an ERNIE 4.5.

Source: arXiv:2510.14528, transformers models/paddleocr_vl.
"""

from __future__ import annotations

from ffncalc.architectures import vit
from ffncalc.architectures._composite import FLAT, FlatConfig, composite, part, projector, text_model, tower
from ffncalc.architectures._tower import norms
from ffncalc.components.embedding import Linear
from ffncalc.ir import Model, Role


class Config(FlatConfig):
    pass


def build(c: Config) -> Model:
    text = text_model(c, FLAT, default="paddleocr_vl_text", fixed=True, prefix=c.text_prefix)
    own = {**(c.vision_config or {}), "model_type": "paddleocr_vl_vision"}
    vision = tower(own, "visual.", default="paddleocr_vl_vision", fixed=True)
    square = part(vit.Config, own, "paddleocr_vl_vision").spatial_merge_size
    merged = vision.width * square * square
    return composite(
        c,
        text,
        [vision],
        projector(
            "mlp_AR",
            *norms(vision.width, "pre_norm"),
            Linear("linear_1", width=merged, out=merged, role=Role.OTHER, bias=True),
            Linear("linear_2", width=merged, out=text.width, role=Role.OTHER, bias=True),
        ),
    )
