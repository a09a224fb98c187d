"""Granite with windows in three of four layers, and a learned sink for each head.

Source: https://huggingface.co/ibm-granite/granite-swash-2b, transformers models/granite_swa.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.ir import Model

ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", windows="leading", pattern=4)


class Config(dense.Config):
    pass


def build(c: Config) -> Model:
    found = dense.layer_spans(c, ROW.windows, ROW.pattern)
    rest = (dense.feed_forward(c, ROW), *norms(c, *ROW.norms))
    parts = {span: (replace(dense.attention(c, ROW, span), sinks=True), *rest) for span in dict.fromkeys(found)}
    return decoder(c, lambda i: parts[found[i]])
