"""Hunyuan 3: normed grouped-query attention, a dense first layer, then MoE with a shared expert.

Source: https://huggingface.co/tencent/Hy3-preview, transformers models/hy_v3.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import _routed
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.moe import MoE
from ffncalc.ir import Model
from ffncalc.schema import Count


class Config(_routed.RoutedConfig):
    aliases = {
        "n_routed_experts": ("num_experts", "num_local_experts"),
        "n_shared_experts": ("num_shared_experts",),
    }
    n_shared_experts: Count | None = 1
    first_k_dense_replace: Count = 1
    mlp_bias: bool = False


def build(c: Config) -> Model:
    mixer = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        qk_norm="head",
    )
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    sparse = experts(c)
    ffns = _routed.layer_ffns(c, _routed.dense_ffn(c, bias=c.mlp_bias), sparse)
    further = _routed.mtp(c, (mixer, sparse, *around), copies=False, final="final_layernorm")
    return decoder(c, lambda i: (mixer, ffns[i], *around), mtp=further)


def experts(c: Config) -> MoE:
    found = _routed.experts(c, bias=c.mlp_bias, correction="expert_bias")
    shared = replace(found.shared, name="shared_mlp") if found.shared else None
    return replace(found, router="router.gate", shared=shared)
