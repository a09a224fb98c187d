"""Gemma 4, the text model: wider heads in global layers, shared keys and values, per-layer embeddings, optional MoE.

Source: https://ai.google.dev/gemma/docs/core, transformers models/gemma4.
"""

from __future__ import annotations

from typing import Literal

from ffncalc.architectures import _per_layer
from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.dense import SANDWICH
from ffncalc.architectures.patterns import every, per_layer, sharing, spans
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Vector
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model, Role, Tensor
from ffncalc.record import record
from ffncalc.schema import Count, Size

GLOBAL = "full_attention"


class Config(DecoderConfig):
    aliases = {"hidden_act": ("hidden_activation",)}
    intermediate_size: Size
    attention_bias: bool = False
    global_head_dim: Size = 512
    num_global_key_value_heads: Size | None = None
    per_layer_config: dict[str, dict[str, Size]] | None = None  # how newer files spell the two above
    attention_k_eq_v: bool = False
    num_kv_shared_layers: Count = 0
    use_double_wide_mlp: bool = False
    use_bidirectional_attention: Literal["all", "vision"] | None = None
    vocab_size_per_layer_input: Size = 262144
    hidden_size_per_layer_input: Count | None = 256
    enable_moe_block: bool = False
    num_experts: Size | None = None
    top_k_experts: Size | None = None
    moe_intermediate_size: Size | None = None


@record(frozen=True, kw_only=True)
class Scale(Component):
    """A learned factor of the whole layer, stored as a buffer [1]."""

    def tensors(self) -> tuple[Tensor, ...]:
        return ()

    def buffers(self) -> tuple[Tensor, ...]:
        return Vector("", width=1, role=Role.OTHER).tensors()


def build(c: Config) -> Model:
    kinds = layer_kinds(c)
    shared = sharing(c.key("num_kv_shared_layers"), c.num_kv_shared_layers, kinds)
    narrow = c.hidden_size_per_layer_input or 0
    rest: tuple[Component, ...] = (
        *norms(c, *SANDWICH),
        *(_per_layer.inputs(width=c.hidden_size, narrow=narrow) if narrow else ()),
        *(mixture(c) if c.enable_moe_block else ()),
        Scale("layer_scalar"),
    )
    ffns = {flag: feed_forward(c, flag) for flag in set(shared)}
    heads = head_sizes(c, kinds)
    keys = list(zip(kinds, heads, shared, strict=True))
    parts = {key: (attention(c, *key), ffns[key[2]], *rest) for key in dict.fromkeys(keys)}
    tables = _per_layer.tables(
        rows=c.vocab_size_per_layer_input, layers=c.num_hidden_layers, width=c.hidden_size, narrow=narrow
    )
    return decoder(
        c,
        lambda i: parts[keys[i]],
        before=tables if narrow else (),
        causal=c.use_bidirectional_attention != "all",
    )


def layer_kinds(c: Config) -> list[str]:
    """`layer_types`, or every sixth layer global; the last layer is global whatever they say."""
    count = c.num_hidden_layers
    default = every(count, 6, GLOBAL, "sliding_attention", offset=1)
    kinds = list(per_layer(c.key("layer_types"), default if c.layer_types is None else c.layer_types, count))
    return [*kinds[:-1], GLOBAL]


def head_sizes(c: Config, kinds: list[str]) -> list[tuple[int, int]]:
    """Head width and key/value heads of each layer: global ones differ, or those that `per_layer_config` names."""
    if c.per_layer_config is not None:
        own = of_layers(c, c.per_layer_config)
        found = (own.get(i, {}) for i in range(c.num_hidden_layers))
        return [(sizes.get("head_dim", c.head_size), sizes.get("num_key_value_heads", c.kv_heads)) for sizes in found]
    wide = (c.global_head_dim, (c.num_global_key_value_heads if c.attention_k_eq_v else None) or c.kv_heads)
    return [wide if kind == GLOBAL else (c.head_size, c.kv_heads) for kind in kinds]


def of_layers(c: Config, sizes: dict[str, dict[str, int]]) -> dict[int, dict[str, int]]:
    """`per_layer_config` by layer; its keys may have leading zeros.

    Raises:
        ConfigError: a key is no layer of the model.
    """
    wrong = [key for key in sizes if not (key.isdecimal() and key.isascii() and int(key[:6]) < c.num_hidden_layers)]
    if wrong:
        raise ConfigError(f"{c.key('per_layer_config')}: {shown(wrong[0])} is none of {c.num_hidden_layers} layers")
    return {int(key): own for key, own in sizes.items()}


def attention(c: Config, kind: str, heads: tuple[int, int], shared: bool) -> Attention:
    window = c.window
    if window and c.use_bidirectional_attention == "all":
        window = 2 * (window // 2) + 1  # half of it on each side
    head_dim, kv_heads = heads
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        span=FULL if kind == GLOBAL else spans([kind], window=window)[0],
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        qk_norm="head",
        shared_kv=shared,
        key_is_value=c.attention_k_eq_v and kind != "sliding_attention",
    )


def feed_forward(c: Config, shared: bool) -> GatedFFN:
    """The dense FFN: twice as wide in layers without keys and values of their own, where the config says so."""
    hidden = 2 * c.intermediate_size if c.use_double_wide_mlp and shared else c.intermediate_size
    return GatedFFN("mlp", width=c.hidden_size, hidden=hidden, activation=c.hidden_act)


def mixture(c: Config) -> tuple[Component, ...]:
    """The experts beside the dense FFN, with norms of their own."""
    if c.num_experts is None or c.top_k_experts is None or c.moe_intermediate_size is None:
        raise ConfigError(
            f"{c.key('enable_moe_block')}: needs num_experts, top_k_experts and moe_intermediate_size besides"
        )
    experts = StackedExperts(
        "experts",
        width=c.hidden_size,
        hidden=c.moe_intermediate_size,
        activation=c.hidden_act,
        out_first=True,
    )
    return (
        MoE(
            "",
            width=c.hidden_size,
            experts=c.num_experts,
            top_k=c.top_k_experts,
            expert=experts,
            router="router.proj",
        ),
        Vector("router.scale", width=c.hidden_size, role=Role.ROUTER),
        Vector("router.per_expert_scale", width=c.num_experts, role=Role.ROUTER),
        *norms(c, "post_feedforward_layernorm_1", "post_feedforward_layernorm_2", "pre_feedforward_layernorm_2"),
    )
