"""BigBird-Pegasus: Pegasus with BigBird's attention on the source, and no biases in the attention.

Sources: arXiv:2007.14062, arXiv:1912.08777; transformers models/bigbird_pegasus.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bart, big_bird
from ffncalc.architectures._encoder_decoder import Side, classification_head, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear, StoredBias
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size

NAMES = Projections(q="self.query", k="self.key", v="self.value", o="output")


class Config(bart.Config):
    use_bias: bool = False
    attention_type: str = "block_sparse"
    block_size: Size = 64
    num_random_blocks: Count = 3


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CAUSAL_LM)
    base = "" if task is Task.BASE else "model"
    alone = task is Task.CAUSAL_LM
    table = f"{base}.shared.weight" if base else "shared.weight"
    tied = table if c.tie_word_embeddings and not alone else ""
    embed = Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied=tied)
    before = (embed, bart.positions(c, c.max_position_embeddings))
    last = (bart.norm(c, "layernorm_embedding"),)
    inner = bart.decoder_layer(c, bias=c.use_bias)
    layer = encoder_layer(c)
    return encoder_decoder(
        c,
        base=base,
        shared=() if alone else (Embedding("shared", rows=c.vocab_size, width=c.hidden_size),),
        encoder=None
        if alone
        else Side(name="encoder", count=c.encoder_layers, layer=lambda i: layer, before=before, after=last),
        decoder=Side(name="decoder", count=c.decoder_layers, layer=lambda i: inner, before=before, after=last),
        head=head(c, task, tied),
        max_context=c.max_position_embeddings,
    )


def encoder_layer(c: Config) -> tuple[Component, ...]:
    found = big_bird.block_span(c.key("attention_type"), c.attention_type, c.block_size, c.num_random_blocks)
    attention = bart.self_attention(c, "encoder_attention_heads", bias=c.use_bias, names=NAMES)
    return (
        replace(attention, span=found),
        bart.norm(c, "self_attn_layer_norm"),
        bart.feed_forward(c, c.encoder_ffn_dim),
        bart.norm(c, "final_layer_norm"),
    )


def head(c: Config, task: Task, tied: str) -> tuple[Component, ...]:
    if task is Task.BASE:
        return ()
    if task is Task.SEQUENCE_CLASSIFICATION:
        return classification_head(c, c.labels)
    if task is Task.QUESTION_ANSWERING:
        return (Linear("qa_outputs", width=c.hidden_size, out=2, bias=True),)
    words = Linear("lm_head", width=c.hidden_size, out=c.vocab_size, tied=tied)
    return (words,) if task is Task.CAUSAL_LM else (words, StoredBias("final_logits_bias", width=c.vocab_size))
