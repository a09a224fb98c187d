"""LongCat-Flash: two attentions and two FFNs in each layer, and beside them experts, some of which do nothing.

Source: https://arxiv.org/abs/2509.01322, transformers models/longcat_flash.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import deepseek_v3
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import dense_ffn, experts
from ffncalc.components.latent_attention import LatentAttention
from ffncalc.ir import Component, Model
from ffncalc.schema import Count


class Config(deepseek_v3.Config):
    aliases = {
        "num_hidden_layers": ("num_layers",),
        "intermediate_size": ("ffn_hidden_size",),
        "moe_intermediate_size": ("expert_ffn_hidden_size",),
        "num_experts_per_tok": ("moe_topk",),
        "n_routed_experts": ("n_routed_experts", "num_local_experts"),
    }
    n_shared_experts: Count | None = None
    zero_expert_num: Count | None = 256
    router_bias: bool = False


def build(c: Config) -> Model:
    ffn = dense_ffn(c)
    around = norms(c, *(f"{name}.{i}" for name in ("input_layernorm", "post_attention_layernorm") for i in (0, 1)))
    zero = c.zero_expert_num or 0
    moe = replace(
        experts(c, correction="router.e_score_correction_bias"),
        router="router.classifier",
        router_bias=c.router_bias,
        scores=(c.n_routed_experts or 0) + zero,
    )
    parts: tuple[Component, ...] = (
        *(attention(c, i) for i in (0, 1)),
        *(replace(ffn, name=f"mlps.{i}") for i in (0, 1)),
        moe,
        *around,
    )
    model = decoder(c, lambda i: parts)
    note = f"{zero} of the experts that a token may choose do nothing: active parameters are the most that it uses"
    return replace(model, notes=(note,)) if zero else model


def attention(c: Config, index: int) -> LatentAttention:
    return replace(deepseek_v3.attention(c), name=f"self_attn.{index}")
