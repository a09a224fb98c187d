"""Trinity (AFMoE): gated attention with normed heads, mostly in a window; norms around each sublayer; experts.

Source: https://huggingface.co/arcee-ai/Trinity-Mini, transformers models/afmoe.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import _routed
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import after, every, per_layer, spans
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.moe import MoE
from ffncalc.ir import FULL, Component, Model, Role, Span
from ffncalc.schema import Count, Size


class Config(_routed.RoutedConfig):
    aliases = {
        "n_routed_experts": ("num_experts",),
        "n_shared_experts": ("num_shared_experts",),
        "first_k_dense_replace": ("num_dense_layers",),
    }
    first_k_dense_replace: Count = 1
    global_attn_every_n_layers: Size = 4


def build(c: Config) -> Model:
    found = layer_spans(c)
    mixers = {span: attention(c, span) for span in dict.fromkeys(found)}
    inner = c.num_attention_heads * c.head_size
    gate = Linear("self_attn.gate_proj", width=c.hidden_size, out=inner, role=Role.ATTENTION)
    around = norms(c, "input_layernorm", "post_attention_layernorm", "pre_mlp_layernorm", "post_mlp_layernorm")
    ffns: list[Component] = after(c.num_hidden_layers, c.first_k_dense_replace, experts(c), _routed.dense_ffn(c))
    return decoder(c, lambda i: (mixers[found[i]], gate, ffns[i], *around))


def layer_spans(c: Config) -> list[Span]:
    count = c.num_hidden_layers
    if c.layer_types is not None:
        return spans(per_layer(c.key("layer_types"), c.layer_types, count), window=c.window)
    sliding = Span("sliding", c.window) if c.window else FULL
    return every(count, c.global_attn_every_n_layers, FULL, sliding, offset=1)


def attention(c: Config, span: Span) -> Attention:
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        qk_norm="head",
    )


def experts(c: Config) -> MoE:
    found = _routed.experts(c, correction="expert_bias")
    return replace(found, router="router.gate", correction_is="parameter")
