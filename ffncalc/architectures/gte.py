"""GTE: rotary positions, fused q/k/v, a fused gated FFN, norms after each sublayer.

Source: arXiv:2407.19669, transformers models/gte.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import WORDS, EncoderConfig, Head, encoder, linear_head, pooler, token_heads
from ffncalc.architectures._task import Task
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role, layers


class Config(EncoderConfig):
    pass


def build(c: Config) -> Model:
    width = c.hidden_size
    parts = (
        Attention(
            "attention",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.num_attention_heads,
            head_dim=c.head_size,
            qkv_bias=True,
            out_bias=True,
            names=Projections(fused="qkv_proj", o="o_proj"),
        ),
        GatedFFN(
            "mlp",
            width=width,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            down_bias=True,
            fused="up_gate_proj",
        ),
        Norm("attn_ln", width=width, bias=True),
        Norm("mlp_ln", width=width, bias=True),
    )

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}encoder.layer.{{}}", c.num_hidden_layers, lambda i: parts, causal=False)

    return encoder(c, stack, base="gte", before=before(c), pooler=(pooler(c),), heads=heads(c))


def before(c: Config) -> tuple[Component, ...]:
    width, rows = c.hidden_size, c.type_vocab_size
    segments = Embedding("embeddings.token_type_embeddings", rows=rows, width=width, role=Role.TYPE)
    return (
        Embedding(WORDS, rows=c.vocab_size, width=width),
        *((segments,) if rows else ()),
        Norm("embeddings.LayerNorm", width=width, bias=True),
    )


def heads(c: Config) -> dict[Task, Head]:
    width, table = c.hidden_size, f"gte.{WORDS}.weight" if c.tie_word_embeddings else ""
    words = (
        Linear("lm_head.dense", width=width, out=width, bias=True),
        Norm("lm_head.norm", width=width, bias=True),
        Linear("lm_head.decoder", width=width, out=c.vocab_size, bias=True, tied=table),
    )
    return {
        **token_heads(c),
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=words),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(linear_head(c, "classifier", c.labels),), pooler=True),
    }
