"""LED: BART whose encoder attends within windows, so that its source may be long.

Source: arXiv:2004.05150, transformers models/led.
"""

from __future__ import annotations

from ffncalc.architectures import bart
from ffncalc.architectures._decoder import divided
from ffncalc.architectures._encoder_decoder import Side, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.embedding import Embedding
from ffncalc.components.longformer import LongformerAttention
from ffncalc.ir import Component, Model
from ffncalc.schema import Size


class Config(bart.Config):
    attention_window: Size | list[Size] = 512
    max_encoder_position_embeddings: Size = 16384
    max_decoder_position_embeddings: Size = 1024


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CONDITIONAL_GENERATION)
    base = "" if task is Task.BASE else "led"
    table = f"{base}.shared.weight" if base else "shared.weight"
    tied = table if c.tie_word_embeddings else ""
    embed = Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied=tied)
    return encoder_decoder(
        c,
        base=base,
        shared=(Embedding("shared", rows=c.vocab_size, width=c.hidden_size),),
        encoder=encoder(c, embed),
        decoder=decoder(c, embed),
        head=bart.head(c, bart.ROWS["blenderbot"], task, rows=c.vocab_size, table=table),
        max_context=c.max_decoder_position_embeddings,
    )


def encoder(c: Config, embed: Embedding) -> Side:
    windows = widths(c.key("attention_window"), c.attention_window, c.encoder_layers)
    attentions = {window: attention(c, window) for window in dict.fromkeys(windows)}
    after: tuple[Component, ...] = (
        bart.norm(c, "self_attn_layer_norm"),
        bart.feed_forward(c, c.encoder_ffn_dim),
        bart.norm(c, "final_layer_norm"),
    )
    return Side(
        name="encoder",
        count=c.encoder_layers,
        layer=lambda i: (attentions[windows[i]], *after),
        before=(embed, bart.positions(c, c.max_encoder_position_embeddings), bart.norm(c, "layernorm_embedding")),
    )


def decoder(c: Config, embed: Embedding) -> Side:
    parts = bart.decoder_layer(c)
    return Side(
        name="decoder",
        count=c.decoder_layers,
        layer=lambda i: parts,
        before=(embed, bart.positions(c, c.max_decoder_position_embeddings), bart.norm(c, "layernorm_embedding")),
    )


def attention(c: Config, window: int) -> LongformerAttention:
    return LongformerAttention(
        "self_attn",
        width=c.hidden_size,
        heads=c.encoder_attention_heads,
        head_dim=divided(c, "hidden_size", "encoder_attention_heads"),
        window=window,
        inner="longformer_self_attn",
        out="output",
    )


def widths(name: str, windows: int | list[int], count: int) -> list[int]:
    """The window of each layer: one for all, or a list of them.

    Raises:
        ConfigError: the list has another length.
    """
    return list(per_layer(name, windows, count)) if isinstance(windows, list) else [windows] * count
