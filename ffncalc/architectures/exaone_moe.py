"""K-EXAONE: grouped-query attention with normed heads and windows in a pattern, then the FFNs of DeepSeek-V3.

Source: https://arxiv.org/abs/2601.01739, transformers models/exaone_moe.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import RoutedConfig, dense_ffn, experts, layer_ffns
from ffncalc.ir import Model
from ffncalc.schema import Count


class Config(dense.Config, RoutedConfig):
    aliases = {
        "n_routed_experts": ("num_experts",),
        "n_shared_experts": ("num_shared_experts",),
    }
    n_shared_experts: Count | None = 1
    first_k_dense_replace: Count = 1


ROW = dense.Row(qk_norm="head")


def build(c: Config) -> Model:
    spans = dense.layer_spans(c, "pattern", 4)
    mixers = {span: dense.attention(c, ROW, span) for span in dict.fromkeys(spans)}
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    ffns = layer_ffns(c, dense_ffn(c), experts(c))
    return decoder(c, lambda i: (mixers[spans[i]], ffns[i], *around))
