"""DBRX: fused projections, bias-free layer norms, fine-grained experts joined in three tensors.

Source: https://www.databricks.com/blog/introducing-dbrx-new-state-art-open-llm, transformers models/dbrx.
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.moe import JoinedExperts, MoE
from ffncalc.ir import Model
from ffncalc.schema import BaseConfig, Size


class AttentionConfig(BaseConfig):
    kv_n_heads: Size = 1


class ExpertsConfig(BaseConfig):
    ffn_hidden_size: Size = 3584
    moe_num_experts: Size = 4
    moe_top_k: Size = 1
    ffn_act_fn: dict[str, Any] | None = None


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("d_model",),
        "num_hidden_layers": ("n_layers",),
        "num_attention_heads": ("n_heads",),
        "max_position_embeddings": ("max_seq_len",),
    }
    attn_config: dict[str, Any] | None = None
    ffn_config: dict[str, Any] | None = None


def build(c: Config) -> Model:
    a = AttentionConfig.parse(c.attn_config or {}, {}, prefix="attn_config.")
    f = ExpertsConfig.parse(c.ffn_config or {}, {}, prefix="ffn_config.")
    parts = (
        Attention(
            "norm_attn_norm.attn",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=a.kv_n_heads,
            head_dim=c.head_size,
            names=Projections(fused="Wqkv", o="out_proj"),
        ),
        MoE(
            "ffn",
            width=c.hidden_size,
            experts=f.moe_num_experts,
            top_k=f.moe_top_k,
            expert=JoinedExperts(
                "experts.mlp",
                width=c.hidden_size,
                hidden=f.ffn_hidden_size,
                activation=(f.ffn_act_fn or {}).get("name", "silu"),
            ),
            router="router.layer",
        ),
        *norms(c, "norm_attn_norm.norm_1", "norm_attn_norm.norm_2"),
    )
    return decoder(c, lambda i: parts, base="transformer", embed="wte", stack="blocks", after=norms(c, "norm_f"))
