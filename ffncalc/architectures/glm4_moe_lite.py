"""GLM-4.7-Flash: DeepSeek-V3's latent attention and experts, one dense layer first.

Source: https://huggingface.co/zai-org/GLM-4.7-Flash, transformers models/glm4_moe_lite.
"""

from __future__ import annotations

from ffncalc.architectures import deepseek_v3
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import dense_ffn, experts, layer_ffns, mtp
from ffncalc.ir import Model
from ffncalc.schema import Count


class Config(deepseek_v3.Config):
    first_k_dense_replace: Count = 1


def build(c: Config) -> Model:
    mixer, sparse = deepseek_v3.attention(c), experts(c)
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    ffns = layer_ffns(c, dense_ffn(c), sparse)
    return decoder(c, lambda i: (mixer, ffns[i], *around), mtp=mtp(c, (mixer, sparse, *around)))
