"""X-MOD: RoBERTa with an adapter for each language in every layer, of which a text uses one.

Source: arXiv:2205.06266, transformers models/xmod.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.components.adapters import Adapters
from ffncalc.components.norm import Norm
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(bert.Config):
    pre_norm: bool = False
    languages: list[str] = ["en_XX"]
    adapter_reduction_factor: Size = 2
    adapter_layer_norm: bool = False


ROW = bert.Row(base="roberta")


def build(c: Config) -> Model:
    adapters = Adapters(
        "output.adapter_modules",
        width=c.hidden_size,
        hidden=c.hidden_size // c.adapter_reduction_factor,
        names=tuple(c.languages),
    )
    norm = (Norm("output.adapter_layer_norm", width=c.hidden_size, bias=True),) if c.adapter_layer_norm else ()
    last = (Norm("encoder.LayerNorm", width=c.hidden_size, bias=True),) if c.pre_norm else ()
    return bert.model(c, ROW, parts=(*bert.layer(c, ROW), adapters, *norm), after=last)
