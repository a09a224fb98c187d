"""Sarvam: grouped-query attention in one projection with a norm for each head, then the FFNs of DeepSeek-V3.

Source: https://huggingface.co/sarvamai/sarvam-30b, transformers models/sarvam_moe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, dense_ffn, experts
from ffncalc.architectures.patterns import after
from ffncalc.components.attention import Attention, Projections
from ffncalc.ir import Component, Model

NAMES = Projections(fused="query_key_value", o="dense", q_norm="query_layernorm", k_norm="key_layernorm")


class Config(RoutedConfig):
    aliases = {
        **RoutedConfig.aliases,
        "n_shared_experts": ("n_shared_experts", "num_shared_experts"),
        "attention_bias": ("attention_bias", "use_qkv_bias"),
    }
    use_qk_norm: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        qk_norm="head" if c.use_qk_norm else "",
        names=NAMES,
    )
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    sparse = experts(c, correction="gate.expert_bias")
    ffns: list[Component] = after(c.num_hidden_layers, c.first_k_dense_replace, sparse, dense_ffn(c))
    parts = {id(ffn): (attention, ffn, *around) for ffn in ffns}
    return decoder(c, lambda i: parts[id(ffns[i])], embed="word_embeddings")
