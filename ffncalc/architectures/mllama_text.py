"""The language model of Llama 3.2 Vision: a Llama some of whose layers attend the image instead of the text.

These layers have cross attention in place of self attention, with norms of queries and keys and two gates. The table
of words has eight rows more than the head, for tokens that only go in.

Source: arXiv:2407.21783 section 7, transformers models/mllama.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Vector
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Count, Size

EXTRA_ROWS = 8


class Config(DecoderConfig):
    intermediate_size: Size
    cross_attention_layers: list[Count] | None = None  # none: every fifth from the fourth on


DEFAULT_LAYERS = (3, 8, 13, 18, 23, 28, 33, 38)


def build(c: Config) -> Model:
    ffn = GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act)
    rest = (ffn, *norms(c, "input_layernorm", "post_attention_layernorm"))
    reading, seeing = (self_attention(c), *rest), (*cross_attention(c), *rest)
    crossed = set(DEFAULT_LAYERS if c.cross_attention_layers is None else c.cross_attention_layers)
    beyond = sorted(i for i in c.cross_attention_layers or () if i >= c.num_hidden_layers)
    model = decoder(c, lambda i: seeing if i in crossed else reading, embed_rows=c.vocab_size + EXTRA_ROWS)
    note = f"{c.key('cross_attention_layers')} names layer {beyond[0]} of {c.num_hidden_layers}" if beyond else ""
    return replace(model, notes=(*model.notes, note)) if note else model


def self_attention(c: Config) -> Attention:
    return Attention(
        "self_attn", width=c.hidden_size, heads=c.num_attention_heads, kv_heads=c.kv_heads, head_dim=c.head_size
    )


def cross_attention(c: Config) -> tuple[Component, ...]:
    attention = CrossAttention(
        "cross_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qk_norm=True,
    )
    return (
        attention,
        Vector("cross_attn_attn_gate", width=1, role=Role.CROSS_ATTENTION),
        Vector("cross_attn_mlp_gate", width=1, role=Role.CROSS_ATTENTION),
    )
