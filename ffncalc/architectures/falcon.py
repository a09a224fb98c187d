"""Falcon: ALiBi or rotary positions, one or a few key/value heads, one or two norms before parallel parts.

Source: arXiv:2311.16867; transformers models/falcon. `refined_web` reads the configs of its first publication.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import FFN
from ffncalc.ir import Model
from ffncalc.schema import Count, Size

ALIASES = {
    "hidden_size": ("n_embed",),
    "num_hidden_layers": ("num_hidden_layers", "n_layer"),
    "num_attention_heads": ("num_attention_heads", "n_head"),
    "num_kv_heads": ("num_kv_heads", "n_head_kv"),
    "hidden_act": ("activation",),
}


class Config(DecoderConfig):
    aliases = ALIASES
    hidden_act: str = "gelu"
    num_kv_heads: Size | None = None
    ffn_hidden_size: Size | None = None
    num_ln_in_parallel_attn: Count | None = None
    new_decoder_architecture: bool | None = False
    multi_query: bool | None = True
    parallel_attn: bool | None = True
    bias: bool | None = False
    tie_word_embeddings: bool = True


def build(c: Config) -> Model:
    kv_heads: int = c.num_attention_heads
    if c.new_decoder_architecture:
        kv_heads = c.num_kv_heads or c.num_attention_heads
    elif c.multi_query:
        kv_heads = 1
    two = c.num_ln_in_parallel_attn == 2 or (c.num_ln_in_parallel_attn is None and c.new_decoder_architecture)
    names = ("ln_attn", "ln_mlp") if two else ("input_layernorm",)
    if not c.parallel_attn:
        names = ("post_attention_layernorm", "input_layernorm")
    return described(c, kv_heads=kv_heads, hidden=c.ffn_hidden_size, norm_names=names, bias=bool(c.bias))


def described(c: DecoderConfig, *, kv_heads: int, hidden: int | None, norm_names: tuple[str, ...], bias: bool) -> Model:
    """A Falcon with these key/value heads, FFN width (None: four times the model's) and norms."""
    attention = Attention(
        "self_attention",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=kv_heads,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        qkv_bias=bias,
        out_bias=bias,
        names=Projections(fused="query_key_value", o="dense"),
    )
    ffn = FFN(
        "mlp",
        width=c.hidden_size,
        hidden=4 * c.hidden_size if hidden is None else hidden,
        activation=c.hidden_act,
        bias=bias,
        up="dense_h_to_4h",
        down="dense_4h_to_h",
    )
    parts = (attention, ffn, *norms(c, *norm_names, bias=True))
    return decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="word_embeddings",
        stack="h",
        after=norms(c, "ln_f", bias=True),
        classifier="classifier",
    )
