"""DeepSeek-V3: latent attention, dense FFN in the first layers, then MoE with shared experts.

Source: https://arxiv.org/abs/2412.19437, transformers models/deepseek_v3.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.patterns import after
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.latent_attention import LatentAttention
from ffncalc.components.moe import MoE
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import Count, Size


class Config(DecoderConfig):
    intermediate_size: Size
    moe_intermediate_size: Size
    n_routed_experts: Size
    n_shared_experts: Count
    num_experts_per_tok: Size
    first_k_dense_replace: Count = 3
    kv_lora_rank: Size
    q_lora_rank: Size | None
    qk_nope_head_dim: Size
    qk_rope_head_dim: Size
    v_head_dim: Size
    attention_bias: bool = False
    num_nextn_predict_layers: Count = 0


def build(c: Config) -> Model:
    attention = LatentAttention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        q_rank=c.q_lora_rank,
        kv_rank=c.kv_lora_rank,
        nope_dim=c.qk_nope_head_dim,
        rope_dim=c.qk_rope_head_dim,
        value_dim=c.v_head_dim,
        bias=c.attention_bias,
    )
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    dense = (
        attention,
        GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act),
        *around,
    )
    sparse = (attention, experts(c), *around)
    kinds = after(c.num_hidden_layers, c.first_k_dense_replace, sparse, dense)
    return decoder(c, lambda i: kinds[i], mtp=mtp(c, sparse))


def experts(c: Config) -> MoE:
    shared = c.n_shared_experts * c.moe_intermediate_size
    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.n_routed_experts,
        top_k=c.num_experts_per_tok,
        expert=GatedFFN("experts.{}", width=c.hidden_size, hidden=c.moe_intermediate_size, activation=c.hidden_act),
        shared=GatedFFN("shared_experts", width=c.hidden_size, hidden=shared, activation=c.hidden_act)
        if shared
        else None,
        correction="gate.e_score_correction_bias",
    )


def mtp(c: Config, layer: tuple[Component, ...]) -> tuple[Block, ...]:
    """Multi-token-prediction layers after the last one, as stored: with copies of embedding and head."""
    if not c.num_nextn_predict_layers:
        return ()
    indexes = tuple(c.num_hidden_layers + i for i in range(c.num_nextn_predict_layers))
    parts = (
        *norms(c, "enorm", "hnorm"),
        Linear("eh_proj", width=2 * c.hidden_size, out=c.hidden_size, role=Role.OTHER),
        Norm("shared_head.norm", width=c.hidden_size),
        Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied="model.embed_tokens.weight"),
        Linear("shared_head.head", width=c.hidden_size, out=c.vocab_size, tied="lm_head.weight"),
    )
    return (Block("model.layers.{}", (*layer, *parts), indexes=indexes),)
