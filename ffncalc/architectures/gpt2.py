"""GPT-2: learned positions, fused projections stored as Conv1D, a plain FFN of four times the width.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"; transformers models/gpt2.
GPT-3 (arXiv:2005.14165) has the same tensors; that every other layer of it attends locally is not part of this type.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.fused_cross_attention import FusedCrossAttention
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("n_embd",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "max_position_embeddings": ("n_positions",),
        "hidden_act": ("activation_function",),
    }
    max_position_embeddings: Size = 1024
    n_inner: Size | None = None
    tie_word_embeddings: bool = True
    add_cross_attention: bool = False
    summary_use_proj: bool = True
    summary_proj_to_labels: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=head_dim(c),
        qkv_bias=True,
        out_bias=True,
        transposed=True,
        names=Projections(fused="c_attn", o="c_proj"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size if c.n_inner is None else c.n_inner,
        activation=c.hidden_act,
        bias=True,
        transposed=True,
        up="c_fc",
        down="c_proj",
    )
    parts = (attention, ffn, *norms(c, "ln_1", "ln_2", bias=True), *cross(c, transposed=True))
    positions = Embedding("wpe", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION)
    model = decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="wte",
        before=(positions,),
        stack="h",
        after=norms(c, "ln_f", bias=True),
        classifier="classifier",
    )
    return replace(model, blocks=(*model.blocks, *second_head(c)))


def head_dim(c: DecoderConfig) -> int:
    """Width of a head: the GPT-2 kin has no field of its own for it."""
    return divided(c, "hidden_size", "num_attention_heads")


def cross(c: Config, *, transposed: bool) -> tuple[Component, ...]:
    """What a layer has besides where GPT-2 is the decoder of an encoder–decoder."""
    if not c.add_cross_attention:
        return ()
    attention = FusedCrossAttention(
        "crossattention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=head_dim(c),
        transposed=transposed,
    )
    return (attention, *norms(c, "ln_cross_attn", bias=True))


def second_head(c: Config) -> tuple[Block, ...]:
    """The multiple-choice head of a DoubleHeads class, which has one label whatever the file says."""
    if task_of(c.architecture, Task.CAUSAL_LM) is not Task.DOUBLE_HEADS or not c.summary_use_proj:
        return ()
    out = 1 if c.summary_proj_to_labels else c.hidden_size
    return (Block("multiple_choice_head", (Linear("summary", width=c.hidden_size, out=out, bias=True),)),)
