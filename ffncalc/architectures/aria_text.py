"""The language model of Aria: a Llama whose every FFN is a mixture of experts with shared ones.

Source: arXiv:2410.05993, transformers models/aria.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    intermediate_size: Size  # of one expert
    moe_num_experts: Size
    moe_topk: Size
    moe_num_shared_experts: Size = 2
    attention_bias: bool = False
    mlp_bias: bool = False


def build(c: Config) -> Model:
    attention = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
    )
    layer = (attention, experts(c), *norms(c, "input_layernorm", "post_attention_layernorm"))
    return decoder(c, lambda i: layer)


def experts(c: Config) -> MoE:
    """Experts stacked in two tensors; the shared ones are one FFN, which alone has biases and another activation."""
    width = c.hidden_size
    return MoE(
        "mlp",
        width=width,
        experts=c.moe_num_experts,
        top_k=c.moe_topk,
        expert=StackedExperts(
            "experts", width=width, hidden=c.intermediate_size, gate_up="fc1.weight", down="fc2.weight"
        ),
        router="router",
        shared=GatedFFN(
            "shared_experts",
            width=width,
            hidden=c.moe_num_shared_experts * c.intermediate_size,
            activation=c.hidden_act,
            bias=c.mlp_bias,
        ),
    )
