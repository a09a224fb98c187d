"""NLLB-MoE: M2M-100 whose FFN is a mixture of experts in every fourth layer, of which a token takes two.

Source: arXiv:2207.04672, transformers models/nllb_moe.
"""

from __future__ import annotations

from ffncalc.architectures import bart
from ffncalc.architectures._decoder import divided
from ffncalc.architectures._encoder_decoder import Side, encoder_decoder
from ffncalc.architectures._task import Task, task_of
from ffncalc.architectures.patterns import every
from ffncalc.components.cross_attention import CrossAttention
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import fc1_fc2
from ffncalc.components.moe import MoE
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size

TOP_K = 2  # fixed in the router


class Config(bart.Config):
    num_experts: Size = 128
    encoder_sparse_step: Count = 4
    decoder_sparse_step: Count = 4
    router_bias: bool = False


def build(c: Config) -> Model:
    task = task_of(c.architecture, Task.CONDITIONAL_GENERATION)
    base = "" if task is Task.BASE else "model"
    table = f"{base}.shared.weight" if base else "shared.weight"
    tied = table if c.tie_word_embeddings else ""
    embed = Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied=tied)
    head = Linear("lm_head", width=c.hidden_size, out=c.vocab_size, tied=tied)
    return encoder_decoder(
        c,
        base=base,
        shared=(Embedding("shared", rows=c.vocab_size, width=c.hidden_size),),
        encoder=encoder(c, embed),
        decoder=decoder(c, embed),
        head=() if task is Task.BASE else (head,),
        max_context=c.max_position_embeddings,
    )


def encoder(c: Config, embed: Embedding) -> Side:
    around = (bart.self_attention(c, "encoder_attention_heads"), *norms(c, "self_attn_layer_norm", "ff_layer_norm"))
    parts = {moe: (*around, feed_forward(c, c.encoder_ffn_dim, moe)) for moe in (False, True)}
    sparse = pattern(c.encoder_layers, c.encoder_sparse_step)
    return Side(
        name="encoder",
        count=c.encoder_layers,
        layer=lambda i: parts[sparse[i]],
        before=(embed,),
        after=norms(c, "layer_norm"),
    )


def decoder(c: Config, embed: Embedding) -> Side:
    cross = CrossAttention(
        "cross_attention",
        width=c.hidden_size,
        heads=c.decoder_attention_heads,
        head_dim=divided(c, "hidden_size", "decoder_attention_heads"),
        bias=True,
        names=bart.NAMES,
    )
    around = (
        bart.self_attention(c, "decoder_attention_heads"),
        cross,
        *norms(c, "self_attn_layer_norm", "cross_attention_layer_norm", "ff_layer_norm"),
    )
    parts = {moe: (*around, feed_forward(c, c.decoder_ffn_dim, moe)) for moe in (False, True)}
    sparse = pattern(c.decoder_layers, c.decoder_sparse_step)
    return Side(
        name="decoder",
        count=c.decoder_layers,
        layer=lambda i: parts[sparse[i]],
        before=(embed,),
        after=norms(c, "layer_norm"),
    )


def pattern(count: int, step: int) -> list[bool]:
    """Which layers are sparse: every `step`-th, none where it is 0."""
    return every(count, step, True, False, offset=1) if step else [False] * count


def norms(c: Config, *names: str) -> tuple[Component, ...]:
    return tuple(bart.norm(c, name) for name in names)


def feed_forward(c: Config, hidden: int, moe: bool) -> Component:
    module = "experts.expert_{}" if moe else "ffn"
    ffn = fc1_fc2(module, c.hidden_size, hidden, c.hidden_act)
    if not moe:
        return ffn
    return MoE(
        "ffn",
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=min(TOP_K, c.num_experts),
        expert=ffn,
        router="router.classifier",
        router_bias=c.router_bias,
    )
