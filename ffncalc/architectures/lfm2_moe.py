"""LFM2-MoE: LFM2's mixers, dense FFNs in the first layers, then experts with a learned balance bias.

Source: https://arxiv.org/abs/2511.23404, transformers models/lfm2_moe.
"""

from __future__ import annotations

from ffncalc.architectures import lfm2
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import after
from ffncalc.components.moe import MoE
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size


class Config(lfm2.Config):
    aliases = {"tie_word_embeddings": ("tie_embedding",)}
    layer_types: list[str]
    moe_intermediate_size: Size
    num_experts: Size
    num_experts_per_tok: Size
    num_dense_layers: Count = 2
    use_expert_bias: bool = True


def build(c: Config) -> Model:
    ffns: dict[bool, Component] = {
        False: lfm2.feed_forward(c, "feed_forward", c.intermediate_size),
        True: MoE(
            "feed_forward",
            width=c.hidden_size,
            experts=c.num_experts,
            top_k=c.num_experts_per_tok,
            expert=lfm2.feed_forward(c, "experts.{}", c.moe_intermediate_size),
            correction="expert_bias" if c.use_expert_bias else "",
        ),
    }
    mixers = {attends: lfm2.mixer(c, attends) for attends in (True, False)}
    around = norms(c, "operator_norm", "ffn_norm")
    attends = lfm2.attending(c)
    routes = after(c.num_hidden_layers, c.num_dense_layers, True, False)
    parts = {(a, r): (mixers[a], ffns[r], *around) for a in mixers for r in ffns}
    return decoder(c, lambda i: parts[attends[i], routes[i]], after=norms(c, "embedding_norm"))
