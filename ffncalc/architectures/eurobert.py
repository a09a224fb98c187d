"""EuroBERT: Llama's layers, in which a token sees later ones too.

Source: arXiv:2503.05500, transformers models/eurobert.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Linear
from ffncalc.ir import FULL, Block, Model


class Config(dense.Config):
    pass


ROW = dense.ROWS["llama"]


def build(c: Config) -> Model:
    parts = (
        dense.attention(c, ROW, FULL),
        dense.feed_forward(c, ROW),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
    )
    model = decoder(c, lambda i: parts, head_bias=c.mlp_bias, classifier="classifier", causal=False)
    if task_of(c.architecture, Task.MASKED_LM) is not Task.SEQUENCE_CLASSIFICATION:
        return model
    head = (
        Linear("dense", width=c.hidden_size, out=c.hidden_size, bias=True, once=True),
        Linear("classifier", width=c.hidden_size, out=c.labels, bias=True, once=True),
    )
    return replace(model, blocks=(*model.blocks[:-1], Block("", head)))
