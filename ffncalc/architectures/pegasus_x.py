"""PEGASUS-X: Pegasus, whose source tokens attend their block and a few global tokens.

A source token attends `block_size` + `num_global_tokens` keys; what the global tokens themselves attend is not
counted. Blocks are shifted by half in every other layer.
Source: arXiv:2208.04347, transformers models/pegasus_x.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import bart
from ffncalc.architectures._encoder_decoder import Side, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.ir import Model, Role, Span
from ffncalc.schema import Size


class Config(bart.Config):
    num_global_tokens: Size = 32
    block_size: Size = 512


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CONDITIONAL_GENERATION)
    base = "" if task is Task.BASE else "model"
    table = f"{base}.shared.weight" if base else "shared.weight"
    tied = table if c.tie_word_embeddings else ""
    embed = Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied=tied)
    attention = replace(
        bart.self_attention(c, "encoder_attention_heads", bias=False),
        span=Span("sliding", c.block_size + c.num_global_tokens),
    )
    layer = (
        attention,
        bart.norm(c, "self_attn_layer_norm"),
        bart.norm(c, "global_self_attn_layer_norm"),
        bart.feed_forward(c, c.encoder_ffn_dim),
        bart.norm(c, "final_layer_norm"),
    )
    further = Embedding("embed_global", rows=c.num_global_tokens, width=c.hidden_size, role=Role.TOKEN)
    inner = bart.decoder_layer(c, bias=False)
    last = (bart.norm(c, "layer_norm"),)
    words = Linear("lm_head", width=c.hidden_size, out=c.vocab_size, tied=tied)
    return encoder_decoder(
        c,
        base=base,
        shared=(Embedding("shared", rows=c.vocab_size, width=c.hidden_size),),
        encoder=Side(
            name="encoder", count=c.encoder_layers, layer=lambda i: layer, before=(embed, further), after=last
        ),
        decoder=Side(name="decoder", count=c.decoder_layers, layer=lambda i: inner, before=(embed,), after=last),
        head=() if task is Task.BASE else (words,),
        max_context=c.max_position_embeddings,
    )
