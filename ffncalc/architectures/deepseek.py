"""DeepSeekMoE: Llama's attention, a dense first layer, then experts with shared ones and no balance bias.

Source: https://arxiv.org/abs/2401.06066, https://huggingface.co/deepseek-ai/deepseek-moe-16b-base (remote code).
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, dense_ffn, experts
from ffncalc.ir import FULL, Component, Model
from ffncalc.schema import Size


class Config(dense.Config, RoutedConfig):
    aliases = RoutedConfig.aliases
    moe_layer_freq: Size = 1


def build(c: Config) -> Model:
    mixer = dense.attention(c, dense.ROWS["llama"], FULL)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    plain: Component = dense_ffn(c)
    sparse: Component = experts(c, correction="") if c.n_routed_experts else plain
    ffns = [
        sparse if i >= c.first_k_dense_replace and i % c.moe_layer_freq == 0 else plain
        for i in range(c.num_hidden_layers)
    ]
    return decoder(c, lambda i: (mixer, ffns[i], *around))
