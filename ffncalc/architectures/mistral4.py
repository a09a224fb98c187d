"""Mistral 4: DeepSeek-V3's latent attention, experts in two stacked tensors, a shared one, no balance bias.

Source: https://huggingface.co/mistralai/Mistral-Small-4-119B-2603, transformers models/mistral4.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures import _routed, deepseek_v3
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures.patterns import after
from ffncalc.components.moe import MoE, StackedExperts
from ffncalc.ir import Component, Model
from ffncalc.schema import Count


class Config(deepseek_v3.Config):
    first_k_dense_replace: Count = 0


def build(c: Config) -> Model:
    mixer = deepseek_v3.attention(c)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    ffns: list[Component] = after(c.num_hidden_layers, c.first_k_dense_replace, experts(c), _routed.dense_ffn(c))
    return decoder(c, lambda i: (mixer, ffns[i], *around))


def experts(c: Config) -> MoE:
    found = _routed.experts(c, correction="")
    hidden = _routed.required(c, "moe_intermediate_size")
    stacked = StackedExperts("experts", width=c.hidden_size, hidden=hidden, activation=c.hidden_act, out_first=True)
    return replace(found, expert=stacked)
