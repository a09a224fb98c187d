"""ModernBERT: rotary positions, a gated FFN, norms before each sublayer, windows in two of three layers.

A window of `local_attention` = 128 lets a token see 64 others on each side, so 129 keys with itself.
Source: arXiv:2412.13663, transformers models/modernbert.
"""

from __future__ import annotations

from ffncalc.architectures._encoder import EncoderConfig, Head, encoder, linear_head
from ffncalc.architectures._task import Task
from ffncalc.architectures.patterns import every, per_layer, spans
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.norm import Norm
from ffncalc.ir import FULL, Block, Component, Model, Span, layers
from ffncalc.schema import Size


class Config(EncoderConfig):
    aliases = {"hidden_act": ("hidden_activation",)}
    max_position_embeddings: Size = 8192
    norm_bias: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False
    decoder_bias: bool = True
    classifier_bias: bool = False
    layer_types: list[str] | None = None
    local_attention: Size = 128
    global_attn_every_n_layers: Size = 3


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
    first, second = norm(c, "attn_norm"), norm(c, "mlp_norm")
    attentions = {span: attention(c, span) for span in dict.fromkeys(found)}

    def parts(i: int) -> tuple[Component, ...]:
        before = (first,) if i else ()  # the embeddings end in a norm, so the first layer starts without
        return (*before, attentions[found[i]], second, ffn)

    def stack(dot: str) -> tuple[Block, ...]:
        return layers(f"{dot}layers.{{}}", c.num_hidden_layers, parts, causal=False)

    words = Embedding("embeddings.tok_embeddings", rows=c.vocab_size, width=c.hidden_size)
    return encoder(
        c,
        stack,
        base="model",
        before=(words, norm(c, "embeddings.norm")),
        after=(norm(c, "final_norm"),),
        heads=heads(c),
    )


def attention(c: Config, span: Span) -> Attention:
    return Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        names=Projections(fused="Wqkv", o="Wo"),
    )


def layer_spans(c: Config) -> list[Span]:
    """One span per layer, from `layer_types` or the period of full layers."""
    window = 2 * (c.local_attention // 2) + 1
    if c.layer_types is not None:
        return spans(per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers), window=window)
    return every(c.num_hidden_layers, c.global_attn_every_n_layers, FULL, Span("sliding", window))


def norm(c: Config, name: str) -> Norm:
    return Norm(name, width=c.hidden_size, bias=c.norm_bias)


def heads(c: Config) -> dict[Task, Head]:
    """What each class adds: all but the bare one have a square map and a norm below their classifier."""
    table = "model.embeddings.tok_embeddings.weight" if c.tie_word_embeddings else ""
    below = (linear_head(c, "head.dense", c.hidden_size, bias=c.classifier_bias), norm(c, "head.norm"))
    words = Linear("decoder", width=c.hidden_size, out=c.vocab_size, bias=c.decoder_bias, tied=table)
    labelled = Head(parts=(*below, linear_head(c, "classifier", c.labels)))
    return {
        Task.BASE: Head(),
        Task.MASKED_LM: Head(parts=(*below, words)),
        Task.SEQUENCE_CLASSIFICATION: labelled,
        Task.TOKEN_CLASSIFICATION: labelled,
        Task.QUESTION_ANSWERING: labelled,
        Task.MULTIPLE_CHOICE: Head(parts=(*below, linear_head(c, "classifier", 1))),
    }
