"""ModernBERT as a decoder: causal, with separate projections, and a transform below the head.

Source: arXiv:2507.11412, transformers models/modernbert_decoder.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import modernbert
from ffncalc.architectures._encoder import Head, encoder, linear_head
from ffncalc.architectures._task import Task
from ffncalc.architectures.patterns import every, per_layer, spans
from ffncalc.components.attention import Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import FULL, Block, Component, Model, Span, layers


class Config(modernbert.Config):
    pass


def build(c: Config) -> Model:
    found = layer_spans(c)
    ffn = GatedFFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=c.mlp_bias,
        fused="Wi",
        down="Wo",
    )
    first, second = modernbert.norm(c, "attn_norm"), modernbert.norm(c, "mlp_norm")
    mixers = {span: replace(modernbert.attention(c, span), names=Projections(o="Wo")) for span in dict.fromkeys(found)}

    def parts(i: int) -> tuple[Component, ...]:
        return (*((first,) if i else ()), mixers[found[i]], second, ffn)

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}layers.{{}}", c.num_hidden_layers, parts)

    words = Embedding("embeddings.tok_embeddings", rows=c.vocab_size, width=c.hidden_size)
    return encoder(
        c,
        stack,
        base="model",
        before=(words, modernbert.norm(c, "embeddings.norm")),
        after=(modernbert.norm(c, "final_norm"),),
        heads=heads(c),
    )


def layer_spans(c: Config) -> list[Span]:
    """One span per layer, from `layer_types` or the period of full layers; half the encoder's window lies behind."""
    window, count = c.local_attention // 2, c.num_hidden_layers
    if c.layer_types is not None:
        return spans(per_layer(c.key("layer_types"), c.layer_types, count), window=window)
    return every(count, c.global_attn_every_n_layers, FULL, Span("sliding", window))


def heads(c: Config) -> dict[Task, Head]:
    table = "model.embeddings.tok_embeddings.weight" if c.tie_word_embeddings else ""

    def below(name: str) -> tuple[Component, ...]:
        dense = linear_head(c, f"{name}.dense", c.hidden_size, bias=c.classifier_bias)
        return dense, modernbert.norm(c, f"{name}.norm")

    words = Linear("decoder", width=c.hidden_size, out=c.vocab_size, bias=c.decoder_bias, tied=table)
    labels = linear_head(c, "classifier", c.labels, bias=c.classifier_bias)
    return {
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=(*below("lm_head"), words)),
        Task.SEQUENCE_CLASSIFICATION: Head(parts=(*below("head"), labels)),
    }
