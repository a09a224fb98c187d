"""ProphetNet: an encoder–decoder that predicts the next few tokens at once, by one more stream for each.

Source: arXiv:2001.04063, transformers models/prophetnet.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import divided
from ffncalc.architectures._encoder_decoder import EncoderDecoderConfig, Side, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Depth, Size

NAMES = Projections(q="query_proj", k="key_proj", v="value_proj", o="out_proj")


class Config(EncoderDecoderConfig):
    aliases = {"hidden_act": ("activation_function",)}
    num_encoder_layers: Depth
    num_encoder_attention_heads: Size
    encoder_ffn_dim: Size
    num_decoder_layers: Depth
    num_decoder_attention_heads: Size
    decoder_ffn_dim: Size
    hidden_act: str = "gelu"
    max_position_embeddings: Size = 512
    ngram: Size = 2
    num_buckets: Size = 32
    add_cross_attention: bool = True


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CAUSAL_LM)
    base = "" if task is Task.BASE else "prophetnet"
    table = f"{base}.word_embeddings.weight" if base else "word_embeddings.weight"
    tied = table if c.tie_word_embeddings else ""
    words = Embedding("word_embeddings", rows=c.vocab_size, width=c.hidden_size)
    before = (
        replace(words, tied=tied),
        Embedding("position_embeddings", rows=c.max_position_embeddings, width=c.hidden_size, role=Role.POSITION),
        norm(c, "embeddings_layer_norm"),
    )
    streams = Embedding("ngram_embeddings", rows=c.ngram, width=c.hidden_size, role=Role.TYPE)
    outer, inner = encoder_layer(c), decoder_layer(c)
    alone = task is Task.CAUSAL_LM
    model = encoder_decoder(
        c,
        base=base,
        shared=(words,),
        encoder=None
        if alone
        else Side(name="encoder", count=c.num_encoder_layers, layer=lambda i: outer, before=before),
        decoder=Side(name="decoder", count=c.num_decoder_layers, layer=lambda i: inner, before=(*before, streams)),
        head=() if task is Task.BASE else (Linear("lm_head", width=c.hidden_size, out=c.vocab_size, tied=tied),),
        max_context=c.max_position_embeddings,
    )
    return replace(model, notes=(f"the {c.ngram} streams that predict ahead run through the decoder too: not counted",))


def norm(c: Config, name: str) -> Norm:
    return Norm(name, width=c.hidden_size, bias=True)


def self_attention(c: Config, heads: str) -> Attention:
    count = getattr(c, heads)
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=count,
        kv_heads=count,
        head_dim=divided(c, "hidden_size", heads),
        qkv_bias=True,
        out_bias=True,
        names=NAMES,
    )


def feed_forward(c: Config, hidden: int) -> tuple[Component, ...]:
    ffn = FFN(
        "feed_forward",
        width=c.hidden_size,
        hidden=hidden,
        activation=c.hidden_act,
        bias=True,
        up="intermediate",
        down="output",
    )
    return ffn, norm(c, "feed_forward_layer_norm")


def encoder_layer(c: Config) -> tuple[Component, ...]:
    attention = self_attention(c, "num_encoder_attention_heads")
    return attention, norm(c, "self_attn_layer_norm"), *feed_forward(c, c.encoder_ffn_dim)


def decoder_layer(c: Config) -> tuple[Component, ...]:
    buckets = Linear(
        "self_attn.relative_pos_embeddings",
        width=c.hidden_size,
        out=c.num_buckets * c.num_decoder_attention_heads,
        role=Role.ATTENTION,
        bias=True,
    )
    cross = CrossAttention(
        "cross_attn",
        width=c.hidden_size,
        heads=c.num_decoder_attention_heads,
        head_dim=divided(c, "hidden_size", "num_decoder_attention_heads"),
        bias=True,
        names=NAMES,
    )
    return (
        self_attention(c, "num_decoder_attention_heads"),
        buckets,
        norm(c, "self_attn_layer_norm"),
        *((cross, norm(c, "cross_attn_layer_norm")) if c.add_cross_attention else ()),
        *feed_forward(c, c.decoder_ffn_dim),
    )
