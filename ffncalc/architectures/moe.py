"""Decoders whose FFN is a mixture of experts and that differ from Mixtral by a choice: one row each.

Sources: transformers' models/<type>, and the paper or model card of each.
"""

from __future__ import annotations

from dataclasses import dataclass

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size


class Config(dense.Config):
    aliases = {"num_experts": ("num_local_experts",)}
    num_experts: Count
    num_experts_per_tok: Size
    moe_intermediate_size: Size | None = None
    decoder_sparse_step: Size = 1
    mlp_only_layers: list[int] = []


@dataclass(frozen=True, kw_only=True)
class Row:
    """How a family differs: its attention as in dense.py, and the names and fields of its experts."""

    dense: dense.Row
    width: str = "moe_intermediate_size"
    module: str = "mlp"
    names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")


ROWS: dict[str, Row] = {
    "mixtral": Row(
        dense=dense.Row(windows="all"), width="intermediate_size", module="block_sparse_moe", names=("w1", "w3", "w2")
    ),
    "qwen3_moe": Row(dense=dense.ROWS["qwen3"]),
}


def build(c: Config) -> Model:
    row = ROWS[c.model_type]
    spans = dense.layer_spans(c, row.dense.windows)
    norms = tuple(Norm(name, width=c.hidden_size, bias=row.dense.norm_bias) for name in row.dense.norms)
    ffns: dict[bool, Component] = {False: dense.feed_forward(c, row.dense), True: experts(c, row)}
    sparse = [
        c.num_experts > 0 and i not in c.mlp_only_layers and (i + 1) % c.decoder_sparse_step == 0
        for i in range(c.num_hidden_layers)
    ]
    parts = {
        (span, moe): (dense.attention(c, row.dense, span), ffns[moe], *norms)
        for span, moe in dict.fromkeys(zip(spans, sparse, strict=True))
    }
    return decoder(c, lambda i: parts[spans[i], sparse[i]])


def experts(c: Config, row: Row) -> MoE:
    gate, up, down = row.names
    return MoE(
        row.module,
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=c.num_experts_per_tok,
        expert=GatedFFN(
            "experts.{}",
            width=c.hidden_size,
            hidden=getattr(c, row.width),
            activation=c.hidden_act,
            gate=gate,
            up=up,
            down=down,
        ),
    )
