"""JetMoE: a mixture of experts in the FFN, and one of query and output projections in the attention.

Source: https://arxiv.org/abs/2404.07413, transformers models/jetmoe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.architectures.granitemoe import parallel_experts
from ffncalc.components.attention_experts import AttentionExperts
from ffncalc.components.embedding import Vector
from ffncalc.ir import Model, Role
from ffncalc.schema import Size


class Config(StackConfig):
    aliases = {"hidden_act": ("activation_function",), "kv_channels": ("kv_channels", "head_dim")}
    intermediate_size: Size
    num_key_value_heads: Size
    kv_channels: Size = 128
    num_local_experts: Size = 8
    num_experts_per_tok: Size = 2


def build(c: Config) -> Model:
    attention = AttentionExperts(
        "self_attention",
        width=c.hidden_size,
        kv_heads=c.num_key_value_heads,
        head_dim=c.kv_channels,
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
    )
    moe = parallel_experts(
        c,
        "mlp",
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
        hidden=c.intermediate_size,
    )
    bias = Vector("mlp.bias", width=c.hidden_size, role=Role.DENSE)
    parts = (attention, moe, bias, *norms(c, "input_layernorm", "post_attention_layernorm"))
    return decoder(c, lambda i: parts)
