"""Whisper: BART's layers on sound. The encoder's convolutions are `other`, its layers attention and FFN like any.

The source is the encoder's positions, 50 a second: two mel frames each, so the first convolution, before the one
that halves the length, runs twice for each. Keys have no bias. Positions of the encoder are a table of sines that is
stored and counts as a parameter.
Source: arXiv:2212.04356, transformers models/whisper.
"""

from __future__ import annotations

from ffncalc.architectures import bart
from ffncalc.architectures._encoder_decoder import Side, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.components.conv import Conv
from ffncalc.components.embedding import Embedding, Linear, Vector
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size


class Config(bart.Config):
    num_mel_bins: Size = 80
    max_source_positions: Size = 1500
    max_target_positions: Size = 448
    use_weighted_layer_sum: bool = False
    classifier_proj_size: Size = 256


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CAUSAL_LM)
    if task is Task.AUDIO_CLASSIFICATION:
        return encoder_decoder(c, base="", encoder=encoder(c), head=classifier(c), max_context=c.max_source_positions)
    base = "" if task is Task.BASE else "model"
    tied = "model.decoder.embed_tokens.weight" if c.tie_word_embeddings else ""
    words = Linear("proj_out", width=c.hidden_size, out=c.vocab_size, tied=tied)
    return encoder_decoder(
        c,
        base=base,
        encoder=None if task is Task.CAUSAL_LM else encoder(c),
        decoder=decoder(c),
        head=(words,) if base else (),
        max_context=c.max_target_positions,
    )


def encoder(c: Config) -> Side:
    parts = (
        bart.self_attention(c, "encoder_attention_heads", k_bias=False),
        bart.norm(c, "self_attn_layer_norm"),
        bart.feed_forward(c, c.encoder_ffn_dim),
        bart.norm(c, "final_layer_norm"),
    )
    return Side(
        name="encoder",
        count=c.encoder_layers,
        layer=lambda i: parts,
        twice=(Conv("conv1", width=c.num_mel_bins, out=c.hidden_size, kernel=3, role=Role.OTHER),),
        before=(
            Conv("conv2", width=c.hidden_size, out=c.hidden_size, kernel=3, role=Role.OTHER),
            bart.positions(c, c.max_source_positions),
        ),
        after=(bart.norm(c, "layer_norm"),),
    )


def decoder(c: Config) -> Side:
    parts = bart.decoder_layer(c, k_bias=False)
    return Side(
        name="decoder",
        count=c.decoder_layers,
        layer=lambda i: parts,
        before=(
            Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size),
            bart.positions(c, c.max_target_positions),
        ),
        after=(bart.norm(c, "layer_norm"),),
    )


def classifier(c: Config) -> tuple[Component, ...]:
    """The head for sounds, with a learned weight per layer's output where the file asks for it."""
    size = c.classifier_proj_size
    return (
        *((Vector("layer_weights", width=c.encoder_layers + 1, role=Role.OTHER),) if c.use_weighted_layer_sum else ()),
        Linear("projector", width=c.hidden_size, out=size, bias=True),
        Linear("classifier", width=size, out=c.labels, bias=True),
    )
