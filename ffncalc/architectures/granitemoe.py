"""Granite 3 MoE: Llama's attention, experts in two stacked tensors; GraniteMoeShared adds an FFN for all tokens.

Source: https://huggingface.co/ibm-granite/granite-3.0-1b-a400m-base, transformers models/granitemoe, granitemoeshared.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, StackConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.ir import Model, Role
from ffncalc.schema import Count, Size


class Config(DecoderConfig):
    intermediate_size: Size
    num_local_experts: Size = 8
    num_experts_per_tok: Size = 2
    shared_intermediate_size: Count = 0
    attention_bias: bool = False


def build(c: Config) -> Model:
    parts = (
        Attention(
            "self_attn",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=c.kv_heads,
            head_dim=c.head_size,
            qkv_bias=c.attention_bias,
            out_bias=c.attention_bias,
        ),
        parallel_experts(
            c,
            "block_sparse_moe",
            experts=c.num_local_experts,
            top_k=c.num_experts_per_tok,
            hidden=c.intermediate_size,
        ),
        *((shared(c),) if c.model_type == "granitemoeshared" and c.shared_intermediate_size else ()),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
    )
    return decoder(c, lambda i: parts)


def parallel_experts(c: StackConfig, name: str, *, experts: int, top_k: int, hidden: int) -> MoE:
    """Experts in two stacked tensors, rows first, behind a router called `layer`: the kernel of Granite and JetMoE."""
    return MoE(
        name,
        width=c.hidden_size,
        experts=experts,
        top_k=top_k,
        expert=StackedExperts(
            "",
            width=c.hidden_size,
            hidden=hidden,
            activation=c.hidden_act,
            out_first=True,
            gate_up="input_linear.weight",
            down="output_linear.weight",
        ),
        router="router.layer",
    )


def shared(c: Config) -> GatedFFN:
    return GatedFFN(
        "shared_mlp",
        width=c.hidden_size,
        hidden=c.shared_intermediate_size,
        activation=c.hidden_act,
        role=Role.SHARED,
        fused="input_linear",
        down="output_linear",
    )
