"""CTRL: a GPT with sinusoidal positions, which it works out, and a biased head.

Source: arXiv:1909.05858, transformers models/ctrl.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.ir import Block, Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("n_embd",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "max_position_embeddings": ("n_positions",),
    }
    dff: Size
    hidden_act: str = "relu"
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "multi_head_attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=True,
        out_bias=True,
        names=Projections(q="Wq", k="Wk", v="Wv", o="dense"),
    )
    ffn = FFN("ffn", width=c.hidden_size, hidden=c.dff, activation="relu", bias=True, up="0", down="2")
    parts = (attention, ffn, *norms(c, "layernorm1", "layernorm2", bias=True))
    model = decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="w",
        stack="h",
        after=norms(c, "layernorm", bias=True),
        head_bias=True,
    )
    if task_of(c.architecture, Task.CAUSAL_LM) is not Task.SEQUENCE_CLASSIFICATION:
        return model
    labels = Linear("classifier", width=c.hidden_size, out=c.labels)
    return replace(model, blocks=(*model.blocks[:-1], Block("", (labels,))))
