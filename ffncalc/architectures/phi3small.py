"""Phi-3-small: fused projections with biases, a clipped gated GELU, and block-sparse attention in every other layer.

A block-sparse layer attends the last `blocksparse_num_local_blocks` blocks, and of the keys before them one block in
`blocksparse_vert_stride`.
Source: https://arxiv.org/abs/2404.14219, modeling_phi3_small.py of https://huggingface.co/microsoft/Phi-3-small-8k-instruct.
"""

from __future__ import annotations

import math

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.architectures.patterns import every
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import Clamp, GatedFFN
from ffncalc.components.strided_attention import StridedAttention
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model
from ffncalc.schema import Count, Size

NAMES = Projections(fused="query_key_value", o="dense")


class Config(DecoderConfig):
    hidden_act: str = "gegelu"
    gegelu_limit: float | None = None
    ff_intermediate_size: Size | None = None
    ff_dim_multiplier: Size | None = None
    tie_word_embeddings: bool = True
    dense_attention_every_n_layers: Count | None = 2
    blocksparse_block_size: Size = 64
    blocksparse_num_local_blocks: Size = 16
    blocksparse_vert_stride: Size = 8


def build(c: Config) -> Model:
    full = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=True,
        out_bias=True,
        names=NAMES,
    )
    sparse = StridedAttention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        window=c.blocksparse_num_local_blocks * c.blocksparse_block_size,
        stride=c.blocksparse_vert_stride,
    )
    rest = (
        ffn(c),
        *norms(c, "input_layernorm", "post_attention_layernorm", bias=True),
    )
    parts: dict[bool, tuple[Component, ...]] = {True: (full, *rest), False: (sparse, *rest)}
    count, step = c.num_hidden_layers, c.dense_attention_every_n_layers
    kinds = every(count, step, True, False, offset=1) if step else [False] * count
    return decoder(c, lambda i: parts[kinds[i]], after=norms(c, "final_layernorm", bias=True))


def ffn(c: Config) -> GatedFFN:
    """GEGELU: x · σ(1.702 · x) of the bounded gate times up + 1; another `hidden_act` is not gated so."""
    gegelu = c.hidden_act == "gegelu"
    return GatedFFN(
        "mlp",
        width=c.hidden_size,
        hidden=hidden(c),
        activation="silu" if gegelu else c.hidden_act,
        bias=True,
        fused="up_proj",
        interleaved=gegelu,
        clamp=Clamp(c.gegelu_limit or math.inf, slope=1.702, shift=1.0) if gegelu else None,
    )


def hidden(c: Config) -> int:
    """Width of the FFN, given itself or as a multiple of the model's.

    Raises:
        ConfigError: neither is given.
    """
    if c.ff_intermediate_size is not None:
        return c.ff_intermediate_size
    if c.ff_dim_multiplier is None:
        raise ConfigError("ff_intermediate_size: missing, and required")
    return c.ff_dim_multiplier * c.hidden_size
