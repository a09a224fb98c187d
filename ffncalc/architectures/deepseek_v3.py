"""DeepSeek-V2 and -V3: latent attention, dense FFN in the first layers, then MoE with shared experts.

Sources: https://arxiv.org/abs/2405.04434, https://arxiv.org/abs/2412.19437, transformers models/deepseek_v2 and
models/deepseek_v3. Kimi-K2 (https://arxiv.org/abs/2507.20534) is a DeepSeek-V3 of other sizes.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, dense_ffn, experts, mtp, required
from ffncalc.architectures.patterns import after
from ffncalc.components.latent_attention import LatentAttention
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.schema import Count, Size


class Config(RoutedConfig):
    n_shared_experts: Count | None = 1
    first_k_dense_replace: Count = 3
    kv_lora_rank: Size | None = None
    q_lora_rank: Size | None = 1536
    qk_nope_head_dim: Size | None = None
    qk_rope_head_dim: Size | None = None
    v_head_dim: Size | None = None
    mlp_bias: bool = False


def build(c: Config) -> Model:
    mixer = attention(c)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    if c.model_type == "deepseek_v2":  # balances its experts by a loss, without a learned bias
        dense, sparse = dense_ffn(c, bias=c.mlp_bias), experts(c, bias=c.mlp_bias, correction="")
    else:
        dense, sparse = dense_ffn(c), experts(c)
    ffns: list[Component] = after(c.num_hidden_layers, c.first_k_dense_replace, sparse, dense)
    model = decoder(c, lambda i: (mixer, ffns[i], *around), mtp=mtp(c, (mixer, sparse, *around)))
    if c.num_experts_per_tok is None:
        return replace(model, notes=("num_experts_per_tok is missing: every expert is counted as used",))
    return model


def attention(c: Config, span: Span = FULL) -> LatentAttention:
    return LatentAttention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        q_rank=c.q_lora_rank,
        kv_rank=required(c, "kv_lora_rank"),
        nope_dim=required(c, "qk_nope_head_dim"),
        rope_dim=required(c, "qk_rope_head_dim"),
        value_dim=required(c, "v_head_dim"),
        bias=c.attention_bias,
        span=span,
    )
