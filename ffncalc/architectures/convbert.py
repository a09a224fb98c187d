"""ConvBERT: half of the attention heads replaced by a convolution whose kernel comes from the text.

Source: arXiv:2008.02496, transformers models/convbert.
"""

from __future__ import annotations

from ffncalc.architectures import bert, electra
from ffncalc.architectures._encoder import Head, embeddings, feed_forward, linear_head
from ffncalc.architectures._task import Task
from ffncalc.components.embedding import Linear
from ffncalc.components.norm import Norm
from ffncalc.components.span_attention import SpanAttention
from ffncalc.errors import ConfigError
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(electra.Config):
    embedding_size: Size = 768
    head_ratio: Size = 2
    conv_kernel_size: Size = 9
    num_groups: Size = 1


ROW = bert.Row(base="convbert")


def build(c: Config) -> Model:
    if c.num_groups > 1:
        raise ConfigError("num_groups: above 1, and the grouped FFN is not described")
    heads_left = max(c.num_attention_heads // c.head_ratio, 1)
    if c.hidden_size % (2 * heads_left):
        raise ConfigError(
            f"{c.key('hidden_size')}: {c.hidden_size} is not divisible by twice the {heads_left} heads of the attention"
        )
    attention = SpanAttention(
        "attention",
        width=c.hidden_size,
        heads=heads_left,
        head_dim=c.hidden_size // heads_left // 2,
        kernel=c.conv_kernel_size,
    )
    norm = Norm("attention.output.LayerNorm", width=c.hidden_size, bias=True)
    project = Linear("embeddings_project", width=c.embedding_size, out=c.hidden_size, role=Role.OTHER, bias=True)
    before = (*embeddings(c, width=c.embedding_size), *((project,) if c.embedding_size != c.hidden_size else ()))
    heads = electra.heads(c, base="convbert") | {Task.MULTIPLE_CHOICE: Head(parts=(linear_head(c, "classifier", 1),))}
    return bert.model(c, ROW, before=before, parts=(attention, norm, *feed_forward(c)), found=heads)
