"""MiMo-V2-Flash: windows with sinks and more key/value heads in most layers, full attention in every sixth.

Source: https://github.com/XiaomiMiMo/MiMo-V2-Flash, transformers models/mimo_v2_flash.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, dense_ffn, experts, layer_ffns
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention, Projections
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.schema import Count, Size

NAMES = Projections(sinks="attention_sink_bias")


class Config(RoutedConfig):
    first_k_dense_replace: Count = 1
    v_head_dim: Size = 128
    sliding_window_size: Size | None = None
    swa_num_attention_heads: Size | None = None
    swa_num_key_value_heads: Size | None = None
    swa_head_dim: Size | None = None
    swa_v_head_dim: Size | None = None
    hybrid_layer_pattern: list[int] | None = None  # 1: a window
    moe_layer_freq: list[int] | None = None  # 1: a mixture of experts
    add_swa_attention_sink_bias: bool = True
    add_full_attention_sink_bias: bool = False


def build(c: Config) -> Model:
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    windowed, full = sliding_attention(c), full_attention(c)
    mixers = [windowed if sliding else full for sliding in sliding_layers(c)]
    dense, sparse = dense_ffn(c), experts(c)
    if c.mlp_layer_types is None and c.moe_layer_freq is not None:
        ffns: list[Component] = [
            sparse if moe else dense for moe in per_layer("moe_layer_freq", c.moe_layer_freq, c.num_hidden_layers)
        ]
    else:
        ffns = list(layer_ffns(c, dense, sparse))
    return decoder(c, lambda i: (mixers[i], ffns[i], *around))


def full_attention(c: Config) -> Attention:
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        value_dim=c.v_head_dim,
        span=FULL,
        qkv_bias=c.attention_bias,
        sinks=c.add_full_attention_sink_bias,
        names=NAMES,
    )


def sliding_attention(c: Config) -> Attention:
    """Twice the key/value heads, unless the file gives the windowed layers sizes of their own."""
    window = c.window if c.sliding_window_size is None else c.sliding_window_size + 1
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.swa_num_attention_heads or c.num_attention_heads,
        kv_heads=c.swa_num_key_value_heads or 2 * c.kv_heads,
        head_dim=c.swa_head_dim or c.head_size,
        value_dim=c.swa_v_head_dim or c.v_head_dim,
        span=Span("sliding", window) if window else FULL,
        qkv_bias=c.attention_bias,
        sinks=c.add_swa_attention_sink_bias,
        names=NAMES,
    )


def sliding_layers(c: Config) -> list[bool]:
    """Whether each layer has a window: all but the first and every sixth, unless the file says otherwise.

    Raises:
        ConfigError: for an unknown entry.
    """
    count = c.num_hidden_layers
    if c.layer_types is not None:
        known = {"sliding_attention": True, "full_attention": False}
        try:
            return list(per_layer(c.key("layer_types"), [known[kind] for kind in c.layer_types], count))
        except KeyError as error:
            raise ConfigError(
                f"layer_types: unknown entry {shown(error.args[0])}, expected one of {', '.join(known)}"
            ) from None
    if c.hybrid_layer_pattern is not None:
        return [bool(sliding) for sliding in per_layer("hybrid_layer_pattern", c.hybrid_layer_pattern, count)]
    return [i > 0 and (i + 1) % 6 != 0 for i in range(count)]
