"""Solar Open: Llama's attention, and the experts of GLM-4.5 in every layer.

Source: https://huggingface.co/upstage/Solar-Open-100B, transformers models/solar_open.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, experts
from ffncalc.components.attention import Attention
from ffncalc.ir import Model
from ffncalc.schema import Count, Size


class Config(RoutedConfig):
    intermediate_size: Size | None = None  # type: ignore[assignment]  # no layer is dense
    n_shared_experts: Count | None = 1


def build(c: Config) -> Model:
    mixer = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
    )
    parts = (mixer, experts(c), *norms(c, "input_layernorm", "post_attention_layernorm"))
    return decoder(c, lambda i: parts)
