"""Granite 3 MoE: Llama's attention, experts in two stacked tensors.

Source: https://huggingface.co/ibm-granite/granite-3.0-1b-a400m-base, transformers models/granitemoe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    intermediate_size: Size
    num_local_experts: Size = 8
    num_experts_per_tok: Size = 2
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
        MoE(
            "block_sparse_moe",
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
        ),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
    )
    return decoder(c, lambda i: parts)
