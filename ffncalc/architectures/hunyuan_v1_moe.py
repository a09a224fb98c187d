"""Hunyuan-A13B: attention with normed heads; experts and a shared one of the same width in every layer.

Source: https://huggingface.co/tencent/Hunyuan-A13B-Instruct, transformers models/hunyuan_v1_moe.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.ir import FULL, Component, Model
from ffncalc.schema import Size


class Config(dense.Config):
    aliases = {
        "moe_topk": ("moe_topk", "num_experts_per_tok"),
        "num_experts": ("num_experts", "num_local_experts"),
        "head_dim": ("head_dim", "attention_head_dim"),
    }
    num_experts: Size = 1
    moe_topk: Size | list[Size] = 1  # a list: one entry per layer


def build(c: Config) -> Model:
    mixer = dense.attention(c, dense.ROWS["hunyuan_v1_dense"], FULL)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    count, top_k = c.num_hidden_layers, c.moe_topk
    top_ks = per_layer(c.key("moe_topk"), top_k if isinstance(top_k, list) else [top_k] * count, count)
    parts: dict[int, tuple[Component, ...]] = {k: (mixer, experts(c, k), *around) for k in dict.fromkeys(top_ks)}
    return decoder(c, lambda i: parts[top_ks[i]])


def experts(c: Config, top_k: int) -> MoE:
    def gated(name: str) -> GatedFFN:
        return GatedFFN(name, width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act)

    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.num_experts,
        top_k=top_k,
        expert=gated("experts.{}"),
        router="gate.wg",
        shared=gated("shared_mlp"),
    )
