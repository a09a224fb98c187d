"""Step 3.5: windows with more heads in three of four layers, a gate for each head, experts after the first layers.

Experts lie in three stacked tensors, beside one that every token uses.
Source: https://huggingface.co/stepfun-ai/Step-3.5-Flash, transformers models/step3p7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model, Role, Span, Tensor
from ffncalc.record import record
from ffncalc.schema import Count, Size

FIRST = 3  # the first layer with experts where the file does not say


class Config(dense.Config):
    aliases = {
        "num_key_value_heads": ("num_key_value_heads", "num_attention_groups"),
        "n_routed_experts": ("n_routed_experts", "moe_num_experts", "num_local_experts"),
        "num_experts_per_tok": ("num_experts_per_tok", "moe_top_k"),
        "share_expert_dim": ("share_expert_dim", "share_expert_dims"),
    }
    n_routed_experts: Size
    num_experts_per_tok: Size = 8
    moe_intermediate_size: Size
    share_expert_dim: Size = 1280
    mlp_layer_types: list[str] | None = None
    moe_layers_enum: str | list[Count] | None = None
    num_sliding_attention_heads: Size | None = None
    attention_other_setting: dict[str, Any] | None = None


@record(frozen=True, kw_only=True)
class StackedFFN(GatedFFN):
    """A gated FFN whose copies are stacked in each of its three tensors."""

    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(replace(tensor, stacked=True) for tensor in super().tensors())


def build(c: Config) -> Model:
    found, sparse = dense.layer_spans(c, ""), routes(c)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    ffns: dict[bool, tuple[Component, ...]] = {True: experts(c), False: (dense.feed_forward(c, dense.Row()),)}
    mixers = {span: attention(c, span) for span in dict.fromkeys(found)}
    kinds = list(zip(found, sparse, strict=True))
    parts = {kind: (*mixers[kind[0]], *ffns[kind[1]], *around) for kind in dict.fromkeys(kinds)}
    return decoder(c, lambda i: parts[kinds[i]])


def routes(c: Config) -> Sequence[bool]:
    """Whether each layer has experts: by `mlp_layer_types`, by the numbers in `moe_layers_enum`, else the fourth on.

    Raises:
        ConfigError: a type is unknown, or a number none.
    """
    count, extra = c.num_hidden_layers, c.num_nextn_predict_layers or 0
    if c.mlp_layer_types is not None:
        kinds = per_layer(c.key("mlp_layer_types"), c.mlp_layer_types, count, extra=extra)
        if unknown := set(kinds) - {"sparse", "dense"}:
            raise ConfigError(
                f"{c.key('mlp_layer_types')}: unknown entry {shown(min(unknown))}, expected sparse or dense"
            )
        return [kind == "sparse" for kind in kinds]
    given = c.moe_layers_enum
    if given is None:
        return [i >= FIRST for i in range(count)]
    numbers = [text.strip() for text in given.split(",")] if isinstance(given, str) else [str(int(i)) for i in given]
    if bad := [text for text in numbers if text and not text.isdecimal()]:
        raise ConfigError(f"{c.key('moe_layers_enum')}: expected numbers of layers, got {shown(bad[0])}")
    chosen = set(numbers)
    return [str(i) in chosen for i in range(count)]


def attention(c: Config, span: Span) -> tuple[Component, ...]:
    heads = c.num_attention_heads if span == FULL else windowed_heads(c)
    return (
        Attention(
            "self_attn",
            width=c.hidden_size,
            heads=heads,
            kv_heads=c.kv_heads,
            head_dim=c.head_size,
            span=span,
            qkv_bias=c.attention_bias,
            out_bias=c.attention_bias,
            qk_norm="head",
        ),
        Linear("self_attn.g_proj", width=c.hidden_size, out=heads, role=Role.ATTENTION),
    )


def windowed_heads(c: Config) -> int:
    """Heads of the layers with windows.

    Raises:
        ConfigError: `attention_other_setting` gives no size.
    """
    if c.num_sliding_attention_heads is not None:
        return c.num_sliding_attention_heads
    other = (c.attention_other_setting or {}).get("num_attention_heads", c.num_attention_heads)
    if not isinstance(other, int) or isinstance(other, bool) or not 0 < other < 100_000:
        key = f"{c.key('attention_other_setting')}.num_attention_heads"
        raise ConfigError(f"{key}: must be a positive integer, got {shown(other)}")
    return other


def experts(c: Config) -> tuple[Component, ...]:
    width = c.hidden_size
    return (
        MoE(
            "moe",
            width=width,
            experts=c.n_routed_experts,
            top_k=c.num_experts_per_tok,
            expert=StackedFFN("", width=width, hidden=c.moe_intermediate_size, activation=c.hidden_act),
            correction="router_bias",
        ),
        GatedFFN("share_expert", width=width, hidden=c.share_expert_dim, activation=c.hidden_act, role=Role.SHARED),
    )
