"""MiniCPM and MiniCPM-MoE: Llama with scaled residuals and a tied head; the MoE variant has experts in every layer.

The scales (`scale_emb`, `scale_depth`, `dim_model_base`) are constants, not tensors.
Source: arXiv:2404.06395; modeling_minicpm.py and configuration_minicpm.py of openbmb/MiniCPM-2B-sft-bf16 and
openbmb/MiniCPM-MoE-8x2B.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size


class Config(DecoderConfig):
    intermediate_size: Size
    attention_bias: bool = False
    num_experts: Count = 0
    num_experts_per_tok: Size = 2
    sparse_config: dict[str, Any] | None = None
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
    )
    ffn = experts(c) if c.num_experts else dense(c)
    parts = (attention, ffn, *norms(c, "input_layernorm", "post_attention_layernorm"))
    model = decoder(c, lambda i: parts)
    if c.sparse_config is None:
        return model
    note = "sparse_config: block-sparse attention has no tensors of its own; it is counted as full attention"
    return replace(model, notes=(*model.notes, note))


def dense(c: Config) -> Component:
    return GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act)


def experts(c: Config) -> Component:
    expert = GatedFFN(
        "experts.{}",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        gate="w1",
        up="w3",
        down="w2",
    )
    return MoE("mlp", width=c.hidden_size, experts=c.num_experts, top_k=c.num_experts_per_tok, expert=expert)
