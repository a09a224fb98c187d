"""MiniMax-M3: attention to the best blocks of keys, found by an indexer; dense layers first, then experts.

Source: transformers models/minimax_m3_vl (text model, names as in the checkpoint).
"""

from __future__ import annotations

from typing import Any

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import after, per_layer
from ffncalc.components.block_indexer import BlockIndexer
from ffncalc.components.ffn import Clamp, GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.ir import FULL, Component, Model, Span
from ffncalc.schema import BaseConfig, Count, Size


class Sparse(BaseConfig):
    sparse_attention_freq: list[int] | None = None
    sparse_num_index_heads: Size = 4
    sparse_index_dim: Size = 128
    sparse_block_size: Size = 128
    sparse_topk_blocks: Size = 16


class Config(dense.Config):
    aliases = {"num_local_experts": ("num_local_experts", "num_experts")}
    num_local_experts: Size = 128
    num_experts_per_tok: Size = 4
    dense_intermediate_size: Size = 12288
    shared_intermediate_size: Size = 3072
    first_k_dense_replace: Count = 0
    moe_layer_freq: list[int] | None = None
    sparse_attention_config: dict[str, Any] | None = None
    swiglu_alpha: float = 1.702
    swiglu_limit: float = 7.0


ROW = dense.Row(qk_norm="head")


def build(c: Config) -> Model:
    mixers = attentions(c)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    ffns: dict[bool, Component] = {True: experts(c), False: gated(c, "mlp", c.dense_intermediate_size)}
    moe = flags(c, "moe_layer_freq", c.moe_layer_freq) or after(
        c.num_hidden_layers, c.first_k_dense_replace, True, False
    )
    raw = c.sparse_attention_config or {}
    sparse = flags(c, "sparse_attention_config", raw.get("sparse_attention_freq")) or [False] * c.num_hidden_layers
    keys = list(zip(sparse, moe, strict=True))
    parts = {key: (*mixers[key[0]], ffns[key[1]], *around) for key in dict.fromkeys(keys)}
    return decoder(c, lambda i: parts[keys[i]])


def flags(c: Config, field: str, found: list[int] | None) -> list[bool]:
    return [] if found is None else [bool(flag) for flag in per_layer(c.key(field), found, c.num_hidden_layers)]


def attentions(c: Config) -> dict[bool, tuple[Component, ...]]:
    """The attention of full layers, and of sparse ones with their indexer."""
    s = Sparse.parse(c.sparse_attention_config or {}, {}, prefix="sparse_attention_config.")
    best = Span("top_k", s.sparse_topk_blocks * s.sparse_block_size)
    indexer = BlockIndexer(
        "self_attn", width=c.hidden_size, heads=s.sparse_num_index_heads, head_dim=s.sparse_index_dim
    )
    return {False: (dense.attention(c, ROW, FULL),), True: (dense.attention(c, ROW, best), indexer)}


def gated(
    c: Config, name: str, hidden: int, names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
) -> GatedFFN:
    gate, up, down = names
    return GatedFFN(
        name,
        width=c.hidden_size,
        hidden=hidden,
        activation="silu",
        gate=gate,
        up=up,
        down=down,
        clamp=Clamp(c.swiglu_limit, slope=c.swiglu_alpha, shift=1.0),
    )


def experts(c: Config) -> MoE:
    return MoE(
        "block_sparse_moe",
        width=c.hidden_size,
        experts=c.num_local_experts,
        top_k=c.num_experts_per_tok,
        expert=gated(c, "experts.{}", c.intermediate_size, ("w1", "w3", "w2")),
        shared=gated(c, "shared_experts", c.shared_intermediate_size),
        correction="e_score_correction_bias",
    )
