"""Kimi Linear: Kimi Delta Attention with latent attention without positions in every fourth layer, then experts.

Source: https://arxiv.org/abs/2510.26692, transformers models/kimi_linear and the published checkpoint, whose dense
layers are called `mlp` and whose experts `block_sparse_moe`.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.patterns import after, per_layer
from ffncalc.components.delta import KimiDeltaAttention
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.latent_attention import LatentAttention
from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model
from ffncalc.schema import BaseConfig, Count, Size


class LinearConfig(BaseConfig):
    """`linear_attn_config`, whose layers are numbered from 1."""

    full_attn_layers: list[Size] | None = None
    kda_layers: list[Size] | None = None
    head_dim: Size | None = None
    num_heads: Size | None = None
    short_conv_kernel_size: Size | None = None


class Config(DecoderConfig):
    aliases = {
        "max_position_embeddings": ("model_max_length",),
        "num_experts": ("num_experts", "num_local_experts"),
        "num_experts_per_tok": ("num_experts_per_token",),
        "n_shared_experts": ("num_shared_experts",),
    }
    intermediate_size: Size
    moe_intermediate_size: Size
    num_experts: Size
    num_experts_per_tok: Size
    n_shared_experts: Count = 1
    first_k_dense_replace: Count = 1
    kv_lora_rank: Size
    q_lora_rank: Size | None = None
    qk_nope_head_dim: Size
    qk_rope_head_dim: Size
    v_head_dim: Size
    attention_bias: bool = False
    linear_attn_config: LinearConfig | None = None
    linear_head_dim: Size = 128
    linear_num_heads: Size = 32
    linear_conv_kernel_dim: Size = 4
    mlp_layer_types: list[str] | None = None


def build(c: Config) -> Model:
    attends, routes = attending(c), routing(c)
    mixers: dict[bool, Component] = {True: attention(c), False: delta(c)}
    ffns: dict[bool, Component] = {True: experts(c), False: feed_forward(c, "mlp", c.intermediate_size)}
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    parts = {(a, r): (mixers[a], ffns[r], *around) for a in mixers for r in ffns}
    return decoder(c, lambda i: parts[attends[i], routes[i]])


def attending(c: Config) -> list[bool]:
    """Whether each layer has latent attention: from `layer_types`, else the nested lists, else every fourth.

    Raises:
        ConfigError: an unknown word, or lists that leave a layer out or name one twice.
    """
    count, nested = c.num_hidden_layers, c.linear_attn_config
    if c.layer_types is not None:
        return chosen(c, "layer_types", c.layer_types, {"full_attention": True, "linear_attention": False})
    if nested is None or nested.full_attn_layers is None or nested.kda_layers is None:
        return [i > 0 and i % 4 == 0 for i in range(count)]
    if sorted(nested.full_attn_layers + nested.kda_layers) != list(range(1, count + 1)):
        raise ConfigError(
            f"linear_attn_config: full_attn_layers and kda_layers must name each of the layers 1 … {count} once"
        )
    full = set(nested.full_attn_layers)
    return [i + 1 in full for i in range(count)]


def routing(c: Config) -> list[bool]:
    """Whether each layer has experts."""
    if c.mlp_layer_types is not None:
        return chosen(c, "mlp_layer_types", c.mlp_layer_types, {"sparse": True, "dense": False})
    return after(c.num_hidden_layers, c.first_k_dense_replace, True, False)


def chosen(c: Config, field: str, entries: list[str], known: dict[str, bool]) -> list[bool]:
    if unknown := set(entries) - known.keys():
        raise ConfigError(f"{c.key(field)}: unknown entry {shown(min(unknown))}, expected {' or '.join(known)}")
    return [known[entry] for entry in per_layer(c.key(field), entries, c.num_hidden_layers)]


def attention(c: Config) -> LatentAttention:
    return LatentAttention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        q_rank=c.q_lora_rank,
        kv_rank=c.kv_lora_rank,
        nope_dim=c.qk_nope_head_dim,
        rope_dim=c.qk_rope_head_dim,
        value_dim=c.v_head_dim,
        bias=c.attention_bias,
    )


def delta(c: Config) -> KimiDeltaAttention:
    nested = c.linear_attn_config or LinearConfig()
    return KimiDeltaAttention(
        "self_attn",
        width=c.hidden_size,
        heads=nested.num_heads or c.linear_num_heads,
        head_dim=nested.head_dim or c.linear_head_dim,
        kernel=nested.short_conv_kernel_size or c.linear_conv_kernel_dim,
    )


def feed_forward(c: Config, name: str, hidden: int, *, numbered: bool = False) -> GatedFFN:
    gate, up, down = ("w1", "w3", "w2") if numbered else ("gate_proj", "up_proj", "down_proj")
    return GatedFFN(name, width=c.hidden_size, hidden=hidden, activation=c.hidden_act, gate=gate, up=up, down=down)


def experts(c: Config) -> MoE:
    shared = c.n_shared_experts * c.moe_intermediate_size
    return MoE(
        "block_sparse_moe",
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=c.num_experts_per_tok,
        expert=feed_forward(c, "experts.{}", c.moe_intermediate_size, numbered=True),
        shared=feed_forward(c, "shared_experts", shared) if shared else None,
        correction="gate.e_score_correction_bias",
    )
