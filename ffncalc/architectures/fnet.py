"""FNet: BERT with a Fourier transform in place of attention.

Source: arXiv:2105.03824, transformers models/fnet.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bert
from ffncalc.architectures._encoder import embeddings, feed_forward
from ffncalc.components.embedding import Linear
from ffncalc.components.fourier import Fourier
from ffncalc.components.norm import Norm
from ffncalc.ir import Model, Role
from ffncalc.schema import Count, Size


class Config(bert.Config):
    num_attention_heads: Size = 1  # nothing attends
    type_vocab_size: Count = 4


ROW = bert.Row(base="fnet", roberta_heads=False)


def build(c: Config) -> Model:
    project = Linear("embeddings.projection", width=c.hidden_size, out=c.hidden_size, role=Role.TOKEN, bias=True)
    parts = (Fourier(""), Norm("fourier.output.LayerNorm", width=c.hidden_size, bias=True), *feed_forward(c))
    heads = {task: replace(head, pooler=True) for task, head in bert.heads(c, ROW).items()}
    return bert.model(c, ROW, before=(*embeddings(c), project), parts=parts, found=heads)
