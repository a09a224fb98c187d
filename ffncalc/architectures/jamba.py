"""Jamba: Mamba with an attention layer in every period, and a mixture of experts in every other FFN.

Source: https://arxiv.org/abs/2403.19887, transformers models/jamba.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures._ssm import step_rank
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.mamba import Mamba
from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model
from ffncalc.schema import AutoSize, Count, Size


class Config(DecoderConfig):
    aliases = {"num_experts": ("num_local_experts",)}
    intermediate_size: Size
    num_experts: Size = 16
    num_experts_per_tok: Size = 2
    expert_layer_period: Size = 2
    expert_layer_offset: Count = 1
    attn_layer_period: Size = 8
    attn_layer_offset: Count = 4
    mamba_d_state: Size = 16
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_dt_rank: AutoSize = "auto"
    mamba_conv_bias: bool = True
    mamba_proj_bias: bool = False


def build(c: Config) -> Model:
    attends = periodic(c, "attn_layer_period", c.attn_layer_period, "attn_layer_offset", c.attn_layer_offset)
    routes = periodic(c, "expert_layer_period", c.expert_layer_period, "expert_layer_offset", c.expert_layer_offset)
    mixers: dict[bool, Component] = {True: attention(c), False: mamba(c)}
    ffns: dict[bool, Component] = {True: experts(c), False: feed_forward(c, "feed_forward")}
    around = norms(c, "input_layernorm", "pre_ff_layernorm")
    parts = {
        (attend, route): (mixers[attend], ffns[route and c.num_experts > 1], *around)
        for attend in mixers
        for route in ffns
    }
    return decoder(c, lambda i: parts[attends[i], routes[i]], after=norms(c, "final_layernorm"))


def periodic(c: Config, period_name: str, period: int, offset_name: str, offset: int) -> list[bool]:
    """Whether layer i is hit: i mod period = offset.

    Raises:
        ConfigError: the offset is outside the period.
    """
    if offset >= period:
        raise ConfigError(f"{c.key(offset_name)}: {offset} must be smaller than {c.key(period_name)} {period}")
    return [i % period == offset for i in range(c.num_hidden_layers)]


def attention(c: Config) -> Attention:
    return Attention(
        "self_attn", width=c.hidden_size, heads=c.num_attention_heads, kv_heads=c.kv_heads, head_dim=c.head_size
    )


def mamba(c: Config) -> Mamba:
    return Mamba(
        "mamba",
        width=c.hidden_size,
        inner=c.mamba_expand * c.hidden_size,
        size=c.mamba_d_state,
        rank=step_rank(c.mamba_dt_rank, c.hidden_size),
        kernel=c.mamba_d_conv,
        bias=c.mamba_proj_bias,
        conv_bias=c.mamba_conv_bias,
        norms=True,
    )


def feed_forward(c: Config, name: str) -> GatedFFN:
    return GatedFFN(name, width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act)


def experts(c: Config) -> MoE:
    return MoE(
        "feed_forward",
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=c.num_experts_per_tok,
        expert=feed_forward(c, "experts.{}"),
        router="router",
    )
