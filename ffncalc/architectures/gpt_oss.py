"""gpt-oss: attention with sinks, windows in every second layer, experts with biases in stacked tensors.

Source: https://arxiv.org/abs/2508.10925, transformers models/gpt_oss.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.patterns import every, per_layer, spans
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import Clamp
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "num_local_experts": ("num_local_experts", "num_experts"),
        "num_experts_per_tok": ("num_experts_per_tok", "experts_per_token"),
    }
    intermediate_size: Size
    num_local_experts: Size = 128
    num_experts_per_tok: Size = 4
    attention_bias: bool = True
    swiglu_alpha: float = 1.702
    swiglu_limit: float = 7.0


def build(c: Config) -> Model:
    count = c.num_hidden_layers
    kinds = (
        every(count, 2, "sliding_attention", "full_attention")
        if c.layer_types is None
        else per_layer(c.key("layer_types"), c.layer_types, count)
    )
    found = spans(kinds, window=c.window)
    rest = (experts(c), *norms(c, "input_layernorm", "post_attention_layernorm"))
    mixers = {
        span: Attention(
            "self_attn",
            width=c.hidden_size,
            heads=c.num_attention_heads,
            kv_heads=c.kv_heads,
            head_dim=c.head_size,
            span=span,
            qkv_bias=c.attention_bias,
            out_bias=c.attention_bias,
            sinks=True,
        )
        for span in dict.fromkeys(found)
    }
    return decoder(c, lambda i: (mixers[found[i]], *rest))


def experts(c: Config) -> MoE:
    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
        expert=StackedExperts(
            "experts",
            width=c.hidden_size,
            hidden=c.intermediate_size,
            activation="silu",  # whatever hidden_act says
            bias=True,
            interleaved=True,
            clamp=Clamp(c.swiglu_limit, slope=c.swiglu_alpha, shift=1.0),
        ),
        router="router",
        router_bias=True,
    )
