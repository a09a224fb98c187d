"""HyperCLOVA X: Granite's decoder, with norms after attention and FFN too where `use_post_norm` says so.

Source: https://huggingface.co/naver-hyperclovax/HyperCLOVAX-SEED-Think-14B, transformers models/hyperclovax.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import norms
from ffncalc.ir import Model


class Config(dense.Config):
    use_post_norm: bool = True


def build(c: Config) -> Model:
    extra = norms(c, "post_norm1", "post_norm2") if c.use_post_norm else ()
    return dense.model(c, dense.ROWS["granite"], extra=extra)
