"""Doge: attention that keeps the best keys, gains on the residual stream, and a dense FFN or one beside tiny experts.

Source: https://arxiv.org/abs/2412.11834, transformers models/doge.
"""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.components.dynamic_mask import DynamicMask
from ffncalc.components.embedding import Vector
from ffncalc.components.moe import JoinedExperts, MoE
from ffncalc.ir import Model, Role, Span
from ffncalc.schema import Size


class Config(dense.Config):
    keep_window_size: Size = 2048
    is_moe: bool = False
    num_experts: Size = 16384
    num_experts_per_tok: Size = 64


ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias", qk_norm="head")


def build(c: Config) -> Model:
    mask = DynamicMask("self_attn", kv_heads=c.kv_heads, head_dim=c.head_size, bias=c.attention_bias)
    parts = (
        dense.attention(c, ROW, span(c)),
        mask,
        experts(c) if c.is_moe else dense.feed_forward(c, ROW),
        *norms(c, "input_layernorm", "post_attention_layernorm"),
        *(Vector(name, width=c.hidden_size, role=Role.OTHER) for name in ("input_residual", "post_attention_residual")),
    )
    return decoder(c, lambda i: parts)


def span(c: Config) -> Span:
    """The best `keep_window_size` keys, of those in the window where there is one."""
    return Span("sliding", min(c.window, c.keep_window_size)) if c.window else Span("top_k", c.keep_window_size)


def experts(c: Config) -> MoE:
    """Experts of one hidden unit, each found by the sum of two scores; an FFN that every token uses."""
    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=c.num_experts_per_tok,
        expert=JoinedExperts(
            "",
            width=c.hidden_size,
            hidden=1,
            activation=c.hidden_act,
            gate="",
            up="down_embed.weight",
            down="up_embed.weight",
        ),
        router="router_gate",
        scores=2 * isqrt(c.num_experts),
        shared=replace(dense.feed_forward(c, ROW), name=""),
    )
