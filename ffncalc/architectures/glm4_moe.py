"""GLM-4.5 and dots.llm1: grouped-query attention, then the FFNs of DeepSeek-V3.

Sources: https://arxiv.org/abs/2508.06471 (GLM-4.5), https://arxiv.org/abs/2506.05767 (dots.llm1), transformers
models/glm4_moe and models/dots1.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, dense_ffn, experts, mtp
from ffncalc.architectures.patterns import after, per_layer, spans
from ffncalc.components.attention import Attention
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.schema import Count


class Config(RoutedConfig):
    use_qk_norm: bool = False
    max_window_layers: Count = 0


def build(c: Config) -> Model:
    found = late_spans(c) if c.model_type == "dots1" else [FULL] * c.num_hidden_layers
    mixers = {span: attention(c, span) for span in dict.fromkeys(found)}
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    sparse = experts(c)
    ffns: list[Component] = after(c.num_hidden_layers, c.first_k_dense_replace, sparse, dense_ffn(c))
    return decoder(c, lambda i: (mixers[found[i]], ffns[i], *around), mtp=mtp(c, (attention(c, FULL), sparse, *around)))


def attention(c: Config, span: Span) -> Attention:
    dots = c.model_type == "dots1"
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias and dots,
        qk_norm="head" if dots or (c.use_qk_norm and c.model_type == "glm4_moe") else "",
    )


def late_spans(c: Config) -> list[Span]:
    """dots.llm1: a window from layer `max_window_layers` on, unless `layer_types` says otherwise."""
    count = c.num_hidden_layers
    if c.layer_types is not None:
        extra = c.num_nextn_predict_layers or 0
        return spans(per_layer(c.key("layer_types"), c.layer_types, count, extra=extra), window=c.window)
    return after(count, c.max_window_layers, Span("sliding", c.window) if c.window else FULL, FULL)
