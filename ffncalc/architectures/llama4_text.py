"""Llama 4, the text model: chunked attention in the layers with rotary positions, MoE layers with one shared expert.

Source: transformers models/llama4; https://ai.meta.com/blog/llama-4-multimodal-intelligence/.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.patterns import per_layer, spans
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model, Span
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {"num_local_experts": ("num_local_experts", "num_experts")}
    intermediate_size: Size  # of the experts, routed and shared
    intermediate_size_mlp: Size = 16384  # of the dense layers
    num_local_experts: Size = 16
    num_experts_per_tok: Size = 1
    interleave_moe_layer_step: Size = 1
    moe_layers: list[int] | None = None
    no_rope_layers: list[int] | None = None  # 1: the layer has rotary positions
    no_rope_layer_interval: Size = 4
    attention_chunk_size: Size | None = 8192
    attention_bias: bool = False


def build(c: Config) -> Model:
    found = layer_spans(c)
    ffns: dict[bool, Component] = {False: dense(c), True: experts(c)}
    sparse = moe_layers(c)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    parts = {
        (span, moe): (attention(c, span), ffns[moe], *around)
        for span, moe in dict.fromkeys(zip(found, sparse, strict=True))
    }
    return decoder(c, lambda i: parts[found[i], sparse[i]])


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
    )


def dense(c: Config) -> GatedFFN:
    return GatedFFN("feed_forward", width=c.hidden_size, hidden=c.intermediate_size_mlp, activation=c.hidden_act)


def experts(c: Config) -> MoE:
    return MoE(
        "feed_forward",
        width=c.hidden_size,
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
        expert=StackedExperts("experts", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act),
        router="router",
        shared=GatedFFN("shared_expert", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act),
    )


def moe_layers(c: Config) -> list[bool]:
    """Whether each layer is a mixture of experts: `moe_layers`, else every `interleave_moe_layer_step`-th."""
    if c.moe_layers is not None:
        chosen = set(c.moe_layers)
        return [i in chosen for i in range(c.num_hidden_layers)]
    return [(i + 1) % c.interleave_moe_layer_step == 0 for i in range(c.num_hidden_layers)]


def layer_spans(c: Config) -> list[Span]:
    """Layers with rotary positions attend within a chunk, the others everything.

    Raises:
        ConfigError: `no_rope_layers` is shorter than the model.
    """
    count = c.num_hidden_layers
    if c.layer_types is not None:
        return spans(per_layer(c.key("layer_types"), c.layer_types, count), chunk=c.attention_chunk_size)
    rotary = c.no_rope_layers or [int((i + 1) % c.no_rope_layer_interval != 0) for i in range(count)]
    if len(rotary) < count:
        raise ConfigError(f"no_rope_layers: has {len(rotary)} entries, but num_hidden_layers is {count}")
    kinds = ["chunked_attention" if rotary[i] else "full_attention" for i in range(count)]
    return spans(kinds, chunk=c.attention_chunk_size)
