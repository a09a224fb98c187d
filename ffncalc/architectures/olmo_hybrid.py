"""OLMo Hybrid: Gated DeltaNet with norms before it, and OLMo 2's attention with norms after it in every fourth layer.

Source: https://huggingface.co/allenai/Olmo-Hybrid-7B, transformers models/olmo_hybrid.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import every, per_layer
from ffncalc.components.delta import SplitDeltaNet
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model
from ffncalc.schema import Size

KINDS = {"linear_attention": False, "full_attention": True}
ROW = dense.Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="all", norms=dense.POST)


class Config(dense.Config):
    linear_num_key_heads: Size | None = None
    linear_num_value_heads: Size | None = None
    linear_key_head_dim: Size | None = None
    linear_value_head_dim: Size | None = None
    linear_conv_kernel_dim: Size = 4


def build(c: Config) -> Model:
    ffn = dense.feed_forward(c, ROW)
    parts: dict[bool, tuple[Component, ...]] = {
        True: (dense.attention(c, ROW, FULL), ffn, *norms(c, *ROW.norms)),
        False: (delta_net(c), ffn, *norms(c, "attention_layer_norm", "feedforward_layer_norm")),
    }
    attends = attending(c)
    return decoder(c, lambda i: parts[attends[i]])


def attending(c: Config) -> list[bool]:
    """Whether each layer attends; without a list every fourth one does, or else the last."""
    count = c.num_hidden_layers
    if c.layer_types is None:
        found = every(count, 4, True, False, offset=1)
        return found if any(found) else [*found[:-1], True]
    kinds = per_layer(c.key("layer_types"), c.layer_types, count)
    if unknown := set(kinds) - KINDS.keys():
        expected = "linear_attention or full_attention"
        raise ConfigError(f"{c.key('layer_types')}: unknown entry {shown(min(unknown))}, expected {expected}")
    return [KINDS[kind] for kind in kinds]


def delta_net(c: Config) -> SplitDeltaNet:
    """Heads as many as those of attention; keys three quarters of the width, values twice as wide as keys."""
    key_heads = c.linear_num_key_heads or c.num_attention_heads
    key_dim = c.linear_key_head_dim or 3 * c.hidden_size // (4 * key_heads)
    return SplitDeltaNet(
        "linear_attn",
        width=c.hidden_size,
        key_heads=key_heads,
        value_heads=c.linear_num_value_heads or c.num_attention_heads,
        key_dim=key_dim,
        value_dim=c.linear_value_head_dim or 2 * key_dim,
        kernel=c.linear_conv_kernel_dim,
    )
