"""Laguna: attention with normed heads, a number of heads per layer and a gate on the output; experts with a shared one.

Source: https://huggingface.co/poolside/Laguna-XS.2, transformers models/laguna.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import _routed
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import per_layer, spans
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.ir import FULL, Component, Model, Role, Span
from ffncalc.schema import Count, Size


class Config(_routed.RoutedConfig):
    aliases = {"n_routed_experts": ("num_experts",)}
    first_k_dense_replace: Count = 1
    shared_expert_intermediate_size: Size = 512
    num_attention_heads_per_layer: list[Size] | None = None
    gating: bool | str = True  # True and "per-head": one gate per head, else one per channel


def build(c: Config) -> Model:
    count = c.num_hidden_layers
    heads = c.num_attention_heads_per_layer or [c.num_attention_heads] * count
    found = list(
        zip(
            per_layer(c.key("num_attention_heads_per_layer"), heads, count),
            layer_spans(c),
            _routed.layer_ffns(c, _routed.dense_ffn(c), experts(c)),
            strict=True,
        )
    )
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    mixers = {(n, span): (*attention(c, n, span), *around) for n, span, _ in found}
    parts: dict[tuple[int, Span, Component], tuple[Component, ...]] = {
        key: (*mixers[key[0], key[1]], key[2]) for key in dict.fromkeys(found)
    }
    return decoder(c, lambda i: parts[found[i]])


def layer_spans(c: Config) -> list[Span]:
    if c.layer_types is None:
        return [FULL] * c.num_hidden_layers
    return spans(per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers), window=c.window)


def attention(c: Config, heads: int, span: Span) -> tuple[Component, ...]:
    mixer = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        qk_norm="head",
    )
    gates = heads if c.gating is True or c.gating == "per-head" else heads * c.head_size
    return mixer, Linear("self_attn.g_proj", width=c.hidden_size, out=gates, role=Role.ATTENTION)


def experts(c: Config) -> MoE:
    shared = GatedFFN(
        "shared_expert", width=c.hidden_size, hidden=c.shared_expert_intermediate_size, activation=c.hidden_act
    )
    found = _routed.experts(c, correction="experts.e_score_correction_bias")
    return replace(found, shared=shared, correction_is="parameter")
