"""Granite 4.0 hybrid: Mamba-2 or attention, then a shared FFN with experts beside it, or alone (dense members).

Source: https://www.ibm.com/granite/docs/models/granite, transformers models/granitemoehybrid.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._ssm import Mamba2Config, mamba2
from ffncalc.architectures.granitemoe import parallel_experts
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention
from ffncalc.components.ffn import GatedFFN
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Count, Size

KINDS = {"mamba": False, "linear_attention": False, "attention": True, "full_attention": True}


class Config(Mamba2Config):
    aliases = {"layer_types": ("layer_types", "layers_block_type")}
    intermediate_size: Size
    shared_intermediate_size: Size
    num_local_experts: Count = 8
    num_experts_per_tok: Count = 2
    attention_bias: bool = False


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
    rest = (*networks(c), *norms(c, "input_layernorm", "post_attention_layernorm"))
    parts: dict[bool, tuple[Component, ...]] = {True: (attention, *rest), False: (mamba2(c), *rest)}
    attends = attending(c)
    return decoder(c, lambda i: parts[attends[i]])


def attending(c: Config) -> list[bool]:
    """Whether each layer attends; without a list none does."""
    if c.layer_types is None:
        return [False] * c.num_hidden_layers
    kinds = per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers)
    if unknown := set(kinds) - KINDS.keys():
        raise ConfigError(f"{c.key('layer_types')}: unknown entry {shown(min(unknown))}, expected mamba or attention")
    return [KINDS[kind] for kind in kinds]


def networks(c: Config) -> tuple[Component, ...]:
    """The shared FFN, dense where the model has no experts, and the experts where it has."""
    shared = GatedFFN(
        "shared_mlp",
        width=c.hidden_size,
        hidden=c.shared_intermediate_size,
        activation=c.hidden_act,
        role=Role.SHARED if c.num_local_experts else Role.DENSE,
        fused="input_linear",
        down="output_linear",
    )
    if not c.num_local_experts:
        return (shared,)
    if not c.num_experts_per_tok:
        raise ConfigError(
            f"{c.key('num_experts_per_tok')}: must be positive, for there are {c.num_local_experts} experts"
        )
    experts = parallel_experts(
        c,
        "block_sparse_moe",
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
        hidden=c.intermediate_size,
    )
    return (experts, shared)
