"""EXAONE 3 and 3.5: Llama with GPT-2's names in file and checkpoint.

Source: https://arxiv.org/abs/2408.03541, transformers models/exaone.
"""

from __future__ import annotations

from ffncalc.architectures import dense
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import GatedFFN
from ffncalc.ir import Model


class Config(dense.Config):
    aliases = {"num_hidden_layers": ("num_layers",), "hidden_act": ("activation_function",)}


def build(c: Config) -> Model:
    attention = Attention(
        "attn.attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
        names=Projections(o="out_proj"),
    )
    ffn = GatedFFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.intermediate_size,
        activation=c.hidden_act,
        bias=c.mlp_bias,
        gate="c_fc_0",
        up="c_fc_1",
        down="c_proj",
    )
    parts = (attention, ffn, *norms(c, "ln_1", "ln_2"))
    return decoder(c, lambda i: parts, base="transformer", embed="wte", stack="h", after=norms(c, "ln_f"))
