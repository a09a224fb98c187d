"""MiniMax-01 and -M1: lightning attention in most layers, softmax attention in the others, Mixtral's experts in all.

Source: https://arxiv.org/abs/2501.08313, transformers models/minimax.
"""

from __future__ import annotations

from ffncalc.architectures import dense, moe
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import every, per_layer
from ffncalc.components.lightning import LightningAttention
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.schema import Count

ROW = moe.Row(dense=dense.Row(), width="intermediate_size", module="block_sparse_moe", names=("w1", "w3", "w2"))


class Config(moe.Config):
    attn_type_list: list[int] | None = None  # in the first files; 1: softmax attention
    shared_intermediate_size: Count = 0


def build(c: Config) -> Model:
    lightning = LightningAttention("self_attn", width=c.hidden_size, heads=c.num_attention_heads, head_dim=c.head_size)
    window = Span("sliding", c.window) if c.window else FULL
    mixers = {"linear_attention": lightning, "full_attention": dense.attention(c, ROW.dense, window)}
    rest = (moe.experts(c, ROW), *norms(c, "input_layernorm", "post_attention_layernorm"))
    parts = {kind: (mixer, *rest) for kind, mixer in mixers.items()}
    kinds = layer_kinds(c, parts)
    return decoder(c, lambda i: parts[kinds[i]])


def layer_kinds(c: Config, known: dict[str, tuple[Component, ...]]) -> list[str]:
    """`layer_types` or `attn_type_list`, else softmax and lightning attention in turns, as the class has it.

    Raises:
        ConfigError: for an unknown entry, or a shared expert.
    """
    if c.shared_intermediate_size:
        raise ConfigError("shared_intermediate_size: set, which no published model has, is not described")
    if c.layer_types is None and c.attn_type_list is not None:
        found = per_layer(c.key("attn_type_list"), c.attn_type_list, c.num_hidden_layers)
        return ["full_attention" if kind else "linear_attention" for kind in found]
    if c.layer_types is None:
        return every(c.num_hidden_layers, 2, "full_attention", "linear_attention")
    kinds = list(per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers))
    for kind in kinds:
        if kind not in known:
            raise ConfigError(f"layer_types: unknown entry {shown(kind)}, expected one of {', '.join(known)}")
    return kinds
