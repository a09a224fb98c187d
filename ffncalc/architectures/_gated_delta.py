"""What Qwen3-Next and Qwen3.5 share: Gated DeltaNet, gated attention in every fourth layer, and their MTP layers."""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.architectures._decoder import DecoderConfig, norms
from ffncalc.architectures.patterns import every, per_layer
from ffncalc.components.attention import Attention
from ffncalc.components.delta import GatedDeltaNet
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Role
from ffncalc.schema import Count, Repeats, Size

KINDS = {"linear_attention": False, "full_attention": True, "attention": True}


class GatedDeltaConfig(DecoderConfig):
    """Fields of a stack of Gated DeltaNet and gated attention layers."""

    aliases = {"mtp_num_hidden_layers": ("mtp_num_hidden_layers", "num_nextn_predict_layers")}
    head_dim: Size | None = 256
    attention_bias: bool = False
    full_attention_interval: Size = 4
    linear_num_key_heads: Size
    linear_num_value_heads: Size
    linear_key_head_dim: Size
    linear_value_head_dim: Size
    linear_conv_kernel_dim: Size = 4
    mtp_num_hidden_layers: Repeats = 0


class GatedDeltaMoEConfig(GatedDeltaConfig):
    """The same with experts."""

    num_experts: Count
    num_experts_per_tok: Size
    moe_intermediate_size: Size
    shared_expert_intermediate_size: Size


def mixers(c: GatedDeltaConfig, *, split: bool) -> list[Component]:
    """The mixer of each layer, from `layer_types` or else attention in every `full_attention_interval`-th."""
    attends, recurs = attention(c), delta_net(c, split)
    if c.layer_types is None:
        return every(c.num_hidden_layers, c.full_attention_interval, attends, recurs, offset=1)
    extra = c.mtp_num_hidden_layers or 0
    kinds = per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers, extra=extra)
    if unknown := set(kinds) - KINDS.keys():
        expected = "linear_attention or full_attention"
        raise ConfigError(f"{c.key('layer_types')}: unknown entry {shown(min(unknown))}, expected {expected}")
    return [attends if KINDS[kind] else recurs for kind in kinds]


def attention(c: GatedDeltaConfig) -> Attention:
    """Attention whose query projection also makes the gate of its output."""
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        qk_norm="head",
        gate=True,
    )


def delta_net(c: GatedDeltaConfig, split: bool) -> GatedDeltaNet:
    """The recurrent mixer; `split` where its input projections are apart (Qwen3.5)."""
    return GatedDeltaNet(
        "linear_attn",
        width=c.hidden_size,
        key_heads=c.linear_num_key_heads,
        value_heads=c.linear_num_value_heads,
        key_dim=c.linear_key_head_dim,
        value_dim=c.linear_value_head_dim,
        kernel=c.linear_conv_kernel_dim,
        split=split,
    )


def feed_forward(c: GatedDeltaConfig, name: str, hidden: int) -> GatedFFN:
    """One gated FFN."""
    return GatedFFN(name, width=c.hidden_size, hidden=hidden, activation=c.hidden_act)


def experts(c: GatedDeltaMoEConfig) -> MoE:
    """Routed experts, and a shared one behind a gate of its own."""
    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=c.num_experts_per_tok,
        expert=feed_forward(c, "experts.{}", c.moe_intermediate_size),
        shared=feed_forward(c, "shared_expert", c.shared_expert_intermediate_size),
        shared_gate="shared_expert_gate",
    )


def around(c: GatedDeltaConfig) -> tuple[Component, ...]:
    """The norms of a layer."""
    return norms(c, "input_layernorm", "post_attention_layernorm")


def mtp(c: GatedDeltaConfig, ffn: Component) -> Sequence[Block]:
    """Multi-token prediction: attention layers with their own weights; embedding and head are the model's."""
    if not c.mtp_num_hidden_layers:
        return ()
    joined = Linear("fc", width=2 * c.hidden_size, out=c.hidden_size, role=Role.OTHER)
    ends = norms(c, "pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm")
    layer = (attention(c), ffn, *around(c))
    indexes = tuple(range(c.mtp_num_hidden_layers))
    return (Block("mtp", (joined, *ends)), Block("mtp.layers.{}", layer, indexes=indexes))
