"""GPT-J and CodeGen: parallel attention and FFN under one norm, rotary positions, a head with a bias.

Sources: Wang and Komatsuzaki 2021, "GPT-J-6B"; arXiv:2203.13474 (CodeGen, which fuses q, k and v);
transformers models/gptj and models/codegen.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {
        "hidden_size": ("n_embd",),
        "num_hidden_layers": ("n_layer",),
        "num_attention_heads": ("n_head",),
        "max_position_embeddings": ("n_positions",),
        "hidden_act": ("activation_function",),
    }
    n_inner: Size | None = None


NAMES = {"codegen": Projections(fused="qkv_proj", o="out_proj"), "gptj": Projections(o="out_proj")}


def build(c: Config) -> Model:
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        names=NAMES[c.model_type],
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size if c.n_inner is None else c.n_inner,
        activation=c.hidden_act,
        bias=True,
        up="fc_in",
        down="fc_out",
    )
    parts = (attention, ffn, *norms(c, "ln_1", bias=True))
    return decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="wte",
        stack="h",
        after=norms(c, "ln_f", bias=True),
        head_bias=True,
    )
