"""InternLM2 and InternLM2.5: grouped-query attention in one tensor wqkv, and names of their own.

Source: arXiv:2403.17297; modeling_internlm2.py and configuration_internlm2.py of internlm/internlm2-7b.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Block, Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    intermediate_size: Size
    bias: bool = True


def build(c: Config) -> Model:
    attention = Attention(
        "attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=c.bias,
        out_bias=c.bias,
        names=Projections(fused="wqkv", o="wo"),
    )
    ffn = GatedFFN(
        "feed_forward",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        gate="w1",
        up="w3",
        down="w2",
    )
    parts = (attention, ffn, *norms(c, "attention_norm", "ffn_norm"))
    reward = c.architecture.endswith("ForRewardModel")
    whole = c.replace(architectures=None) if reward else c
    model = decoder(whole, lambda i: parts, embed="tok_embeddings", head="output")
    if not reward:
        return model
    value = Block("", (Linear("v_head", width=c.hidden_size, out=1),))  # a score in place of the vocabulary
    return replace(model, architecture=c.architecture, blocks=(*model.blocks[:-1], value))
