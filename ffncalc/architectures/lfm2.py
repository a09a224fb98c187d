"""LFM2 and LFM2-MoE: gated short convolutions, grouped-query attention in a few layers, a gated FFN or experts.

Source: https://arxiv.org/abs/2511.23404, transformers models/lfm2 and models/lfm2_moe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.short_conv import ShortConv
from ffncalc.errors import ConfigError, shown
from ffncalc.formula import call
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Ratio, Size

NAMES = Projections(o="out_proj", q_norm="q_layernorm", k_norm="k_layernorm")
KINDS = ("conv", "full_attention", "attention")


class Config(DecoderConfig):
    aliases = {"tie_word_embeddings": ("tie_embedding",), "intermediate_size": ("block_ff_dim",)}
    intermediate_size: Size
    conv_bias: bool = False
    conv_L_cache: Size = 3
    block_auto_adjust_ff_dim: bool = True
    block_ffn_dim_multiplier: Ratio | None = 1.0
    block_multiple_of: Size = 256
    full_attn_idxs: list[Count] | None = None


def build(c: Config) -> Model:
    ffn = feed_forward(c, "feed_forward", ffn_width(c))
    mixers = {attends: mixer(c, attends) for attends in (True, False)}
    around = norms(c, "operator_norm", "ffn_norm")
    kinds = attending(c)
    parts = {attends: (mixer, ffn, *around) for attends, mixer in mixers.items()}
    return decoder(c, lambda i: parts[kinds[i]], after=norms(c, "embedding_norm"))


def ffn_width(c: Config) -> int:
    """Two thirds of `intermediate_size`, times a factor, rounded up to a multiple: 12288 becomes 8192."""
    if not c.block_auto_adjust_ff_dim:
        return c.intermediate_size
    width = 2 * c.intermediate_size // 3
    if c.block_ffn_dim_multiplier is None:
        return width
    if c.block_ffn_dim_multiplier != 1:
        width = call(f"{c.block_ffn_dim_multiplier} × ", int(c.block_ffn_dim_multiplier * width), width)
    if width < 1:
        raise ConfigError(f"{c.key('block_ffn_dim_multiplier')}: {c.block_ffn_dim_multiplier} leaves no FFN")
    multiple = c.block_multiple_of
    return call("round_up", -(-int(width) // int(multiple)) * int(multiple), width, multiple)


def attending(c: Config) -> list[bool]:
    """Whether each layer attends, from `layer_types`, else `full_attn_idxs`, else all do."""
    if c.layer_types is None:
        found = None if c.full_attn_idxs is None else set(c.full_attn_idxs)
        return [found is None or i in found for i in range(c.num_hidden_layers)]
    kinds = per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers)
    if unknown := set(kinds) - set(KINDS):
        raise ConfigError(
            f"{c.key('layer_types')}: unknown entry {shown(min(unknown))}, expected {' or '.join(KINDS[:2])}"
        )
    return [kind != "conv" for kind in kinds]


def mixer(c: Config, attends: bool) -> Component:
    if not attends:
        return ShortConv("conv", width=c.hidden_size, kernel=c.conv_L_cache, bias=c.conv_bias)
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qk_norm="head",
        names=NAMES,
    )


def feed_forward(c: Config, name: str, hidden: int) -> GatedFFN:
    return GatedFFN(name, width=c.hidden_size, hidden=hidden, activation="silu", gate="w1", up="w3", down="w2")
