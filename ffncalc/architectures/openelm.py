"""OpenELM: each layer has its own number of heads and its own FFN width, growing with depth.

Source: arXiv:2404.14619; modeling_openelm.py and configuration_openelm.py of apple/OpenELM-270M.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.architectures._decoder import StackConfig, decoder, norms
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.errors import ConfigError
from ffncalc.formula import Num
from ffncalc.ir import Component, Model
from ffncalc.record import record
from ffncalc.schema import Size

Multipliers = float | list[float]


class Config(StackConfig):
    aliases = {
        "hidden_size": ("model_dim",),
        "num_hidden_layers": ("num_transformer_layers",),
        "max_position_embeddings": ("max_context_length",),
        "hidden_act": ("activation_fn_name",),
        "tie_word_embeddings": ("share_input_output_layers",),
    }
    hidden_act: str = "swish"
    head_dim: Size = 128
    num_query_heads: list[Size] | None = None
    num_kv_heads: list[Size] | None = None
    num_gqa_groups: Size = 1
    qkv_multipliers: Multipliers = 1.0
    ffn_multipliers: Multipliers = 4.0
    ffn_dim_divisor: Size = 256
    ffn_with_glu: bool = True
    normalize_qk_projections: bool = False


@record(frozen=True)
class Widths:
    """What differs from layer to layer."""

    heads: int
    kv_heads: int
    hidden: int


def build(c: Config) -> Model:
    around = norms(c, "attn_norm", "ffn_norm")
    found = widths(c)
    parts = {w: (attention(c, w), feed_forward(c, w.hidden), *around) for w in dict.fromkeys(found)}
    return decoder(c, lambda i: parts[found[i]], base="transformer", embed="token_embeddings")


def attention(c: Config, w: Widths) -> Attention:
    return Attention(
        "attn",
        width=c.hidden_size,
        heads=w.heads,
        kv_heads=w.kv_heads,
        head_dim=c.head_dim,
        qk_norm="head" if c.normalize_qk_projections else "",
        names=Projections(fused="qkv_proj", o="out_proj"),
    )


def feed_forward(c: Config, hidden: int) -> Component:
    if not c.ffn_with_glu:
        return FFN("ffn", width=c.hidden_size, hidden=hidden, activation=c.hidden_act, up="proj_1", down="proj_2")
    return GatedFFN("ffn", width=c.hidden_size, hidden=hidden, activation=c.hidden_act, fused="proj_1", down="proj_2")


def widths(c: Config) -> list[Widths]:
    """Heads and FFN width of each layer, from the lists of the file or else from the multipliers."""
    count = c.num_hidden_layers
    step = c.head_dim * c.num_gqa_groups
    heads: Sequence[int] = (
        [divisible(c.hidden_size * m, step) // c.head_dim for m in spread("qkv_multipliers", c.qkv_multipliers, count)]
        if c.num_query_heads is None
        else per_layer("num_query_heads", c.num_query_heads, count)
    )
    kv_heads: Sequence[int] = (
        [n // c.num_gqa_groups for n in heads]
        if c.num_kv_heads is None
        else per_layer("num_kv_heads", c.num_kv_heads, count)
    )
    for i, (q, kv) in enumerate(zip(heads, kv_heads, strict=True)):
        if kv < 1 or q % kv:
            raise ConfigError(f"num_kv_heads[{i}]: {kv} does not divide the {q} query heads of the layer")
    hidden = [
        Num(
            divisible(m * c.hidden_size, c.ffn_dim_divisor),
            op=f"divisible[{m:g}]",
            args=(c.hidden_size, c.ffn_dim_divisor),
        )
        for m in spread("ffn_multipliers", c.ffn_multipliers, count)
    ]
    return [Widths(*of_layer) for of_layer in zip(heads, kv_heads, hidden, strict=True)]


def spread(name: str, multipliers: Multipliers, count: int) -> Sequence[float]:
    """One multiplier per layer: the same for all, or evenly from the first to the last of two, or as listed."""
    values = [multipliers] if isinstance(multipliers, int | float) else multipliers
    if any(not 0 < m <= 1000 for m in values):
        raise ConfigError(f"{name}: multipliers must be positive, and at most 1000")
    if isinstance(multipliers, int | float):
        return [multipliers] * count
    if len(values) != 2 or count == 2:
        return per_layer(name, values, count)
    low, high = values
    step = (high - low) / max(count - 1, 1)
    return [round(high if i == count - 1 and i else low + i * step, 2) for i in range(count)]


def divisible(value: float, divisor: int) -> int:
    """The multiple of `divisor` nearest to `value`, but no more than 10 % below it (the rule of MobileNet)."""
    rounded = max(int(divisor), int(value + divisor / 2) // int(divisor) * int(divisor))
    return rounded + int(divisor) if rounded < 0.9 * value else rounded
