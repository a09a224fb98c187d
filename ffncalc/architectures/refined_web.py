"""Falcon as first published: `RefinedWeb` is the 40B code, `RefinedWebModel` that of the 7B and the rw models.

Source: modelling_RW.py and configuration_RW.py of tiiuae/falcon-40b and tiiuae/falcon-7b (May 2023).
Their config classes differ from transformers' FalconConfig in what they assume for absent keys.
"""

from __future__ import annotations

from ffncalc.architectures import falcon
from ffncalc.architectures._decoder import DecoderConfig
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = falcon.ALIASES
    hidden_act: str = "gelu"
    num_kv_heads: Size | None = None
    multi_query: bool = False
    parallel_attn: bool = False
    bias: bool = False
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    if c.model_type == "RefinedWeb":
        kv_heads = c.num_kv_heads or c.num_attention_heads
        names: tuple[str, ...] = ("ln_attn", "ln_mlp")
    else:
        kv_heads = 1 if c.multi_query else c.num_attention_heads
        names = ("input_layernorm",) if c.parallel_attn else ("input_layernorm", "post_attention_layernorm")
    return falcon.described(c, kv_heads=kv_heads, hidden=None, norm_names=names, bias=c.bias)
