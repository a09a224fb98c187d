"""RWKV-4: time mixing by a linear recurrence, and an FFN gated by a receptance (channel mixing).

Source: https://arxiv.org/abs/2305.13048, transformers models/rwkv.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.components.ffn import FFN
from ffncalc.components.rwkv import Receptance, TimeMix
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(StackConfig):
    aliases = {"max_position_embeddings": ("context_length",)}
    attention_hidden_size: Size | None = None
    intermediate_size: Size | None = None


def build(c: Config) -> Model:
    hidden = c.intermediate_size or 4 * c.hidden_size
    parts = (
        TimeMix("attention", width=c.hidden_size, inner=c.attention_hidden_size or c.hidden_size),
        FFN("feed_forward", width=c.hidden_size, hidden=hidden, activation="relu2", up="key", down="value"),
        Receptance("feed_forward", width=c.hidden_size),
        *norms(c, "ln1", "ln2", bias=True),
    )
    first = (*parts, *norms(c, "pre_ln", bias=True))
    return decoder(
        c,
        lambda i: parts if i else first,
        base="rwkv",
        embed="embeddings",
        stack="blocks",
        after=norms(c, "ln_out", bias=True),
        head="head",
    )
