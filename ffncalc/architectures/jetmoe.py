"""JetMoE: a mixture of experts in the FFN, and one of query and output projections in the attention.

Source: https://arxiv.org/abs/2404.07413, transformers models/jetmoe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.components.attention_experts import AttentionExperts
from ffncalc.components.embedding import Vector
from ffncalc.components.moe import MoE, StackedExperts
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
    moe = MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
        expert=StackedExperts(
            "",
            width=c.hidden_size,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            out_first=True,
            gate_up="input_linear.weight",
            down="output_linear.weight",
        ),
        router="router.layer",
    )
    bias = Vector("mlp.bias", width=c.hidden_size, role=Role.DENSE)
    parts = (attention, moe, bias, *norms(c, "input_layernorm", "post_attention_layernorm"))
    return decoder(c, lambda i: parts)
