"""RoCBert: BERT, whose words come with tables of their sound and their shape, joined by a linear map.

Source: https://aclanthology.org/2022.acl-long.65, transformers models/roc_bert.
"""

from __future__ import annotations

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import Head, embeddings
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(bert.Config):
    enable_pronunciation: bool = True
    enable_shape: bool = True
    pronunciation_vocab_size: Size = 910
    pronunciation_embed_dim: Size = 768
    shape_vocab_size: Size = 24858
    shape_embed_dim: Size = 512
    concat_input: bool = True


ROW = bert.Row(base="roc_bert", roberta_heads=False)


def build(c: Config) -> Model:
    heads = bert.heads(c, ROW)
    heads[Task.PRETRAINING] = Head(parts=heads[Task.MASKED_LM].parts, pooler=True)
    return bert.model(c, ROW, before=(*embeddings(c), *further(c)), found=heads)


def further(c: Config) -> tuple[Component, ...]:
    """The tables of sound and shape, which are stored even where they are switched off, and the map that joins them."""
    width = c.hidden_size
    if c.enable_pronunciation:
        width = width + c.pronunciation_embed_dim
    if c.enable_shape:
        width = width + c.shape_embed_dim
    joined = Linear("embeddings.map_inputs_layer", width=width, out=c.hidden_size, role=Role.TOKEN, bias=True)
    return (
        Embedding("embeddings.pronunciation_embed", rows=c.pronunciation_vocab_size, width=c.pronunciation_embed_dim),
        Embedding("embeddings.shape_embed", rows=c.shape_vocab_size, width=c.shape_embed_dim),
        *((joined,) if c.concat_input else ()),
    )
