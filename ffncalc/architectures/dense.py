"""Dense decoders that differ from Llama by a choice: one row each.

Sources: transformers' models/<type>, and the paper or model card of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ffncalc.architectures._decoder import DecoderConfig, decoder
from ffncalc.architectures.patterns import after, every, per_layer, spans
from ffncalc.components.attention import SEPARATE, Attention, Projections
from ffncalc.components.ffn import FFN, GatedFFN
from ffncalc.components.norm import Norm
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.schema import Count, Size


class Config(DecoderConfig):
    intermediate_size: Size
    attention_bias: bool = False
    mlp_bias: bool = False
    use_sliding_window: bool = True
    max_window_layers: Count = 0


Choice = bool | str  # a string names the config field that decides


@dataclass(frozen=True, kw_only=True)
class Row:
    """How a family differs. `norms` name the norms of a layer; `windows` says which layers have a window
    where the file has no `layer_types`."""

    qkv_bias: Choice = False
    out_bias: Choice = False
    mlp_bias: Choice = False
    gated: bool = True
    fused_ffn: str = ""
    qk_norm: Literal["", "head", "all"] = ""
    norms: tuple[str, ...] = ("input_layernorm", "post_attention_layernorm")
    norm_bias: bool = False
    names: Projections = SEPARATE
    windows: Literal["", "all", "late", "even"] = ""


ROWS: dict[str, Row] = {
    "gemma": Row(qkv_bias="attention_bias", out_bias="attention_bias"),
    "gemma2": Row(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=(
            "input_layernorm",
            "post_attention_layernorm",
            "pre_feedforward_layernorm",
            "post_feedforward_layernorm",
        ),
        windows="even",
    ),
    "llama": Row(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "mistral": Row(windows="all"),
    "qwen2": Row(qkv_bias=True, windows="late"),
    "qwen3": Row(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", windows="late"),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    ffn = feed_forward(c, row)
    norms = tuple(Norm(name, width=c.hidden_size, bias=row.norm_bias) for name in row.norms)
    found = layer_spans(c, row.windows)
    parts: dict[Span, tuple[Component, ...]] = {
        span: (attention(c, row, span), ffn, *norms) for span in dict.fromkeys(found)
    }
    return decoder(c, lambda i: parts[found[i]])


def attention(c: Config, row: Row, span: Span) -> Attention:
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        span=span,
        qkv_bias=chosen(c, row.qkv_bias),
        out_bias=chosen(c, row.out_bias),
        qk_norm=row.qk_norm,
        names=row.names,
    )


def feed_forward(c: Config, row: Row) -> GatedFFN | FFN:
    bias = chosen(c, row.mlp_bias)
    if row.gated:
        return GatedFFN(
            "mlp",
            width=c.hidden_size,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            bias=bias,
            fused=row.fused_ffn,
        )
    return FFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act, bias=bias)


def chosen(c: Config, choice: Choice) -> bool:
    return bool(getattr(c, choice)) if isinstance(choice, str) else choice


def layer_spans(c: Config, windows: str) -> list[Span]:
    """One span per layer, from `layer_types` or the family's rule; a window that is switched off is none."""
    count = c.num_hidden_layers
    window = c.window if c.use_sliding_window else None
    if c.layer_types is not None:
        return spans(per_layer(c.key("layer_types"), c.layer_types, count), window=window)
    sliding = Span("sliding", window) if window else FULL
    if windows == "all":
        return [sliding] * count
    if windows == "late":
        return after(count, c.max_window_layers, sliding, FULL)
    if windows == "even":
        return every(count, 2, sliding, FULL)
    return [FULL] * count
