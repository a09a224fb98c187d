"""Qwen, first generation: GPT-2's names, RMSNorm, a bias on queries, keys and values only, and a gated FFN.

The field `intermediate_size` holds both halves of the gated FFN: each is half as wide.
Source: arXiv:2309.16609; modeling_qwen.py and configuration_qwen.py of Qwen/Qwen-7B.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ffncalc.architectures import qwen_visual
from ffncalc.architectures._decoder import DecoderConfig, decoder, norms, root
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.ffn import GatedFFN
from ffncalc.errors import ConfigError
from ffncalc.ir import Model
from ffncalc.schema import Size


class Config(DecoderConfig):
    aliases = {  # the second spelling is that of the first release
        "hidden_size": ("hidden_size", "n_embd"),
        "num_hidden_layers": ("num_hidden_layers", "n_layer"),
        "num_attention_heads": ("num_attention_heads", "n_head"),
        "intermediate_size": ("intermediate_size", "ffn_hidden_size"),
        "max_position_embeddings": ("max_position_embeddings", "n_positions", "seq_length"),
    }
    intermediate_size: Size
    kv_channels: Size = 128
    no_bias: bool = True
    visual: qwen_visual.VisualConfig | None = None
    audio: dict[str, Any] | None = None


def build(c: Config) -> Model:
    if c.audio is not None:
        raise ConfigError("audio: the tower of Qwen-Audio is not described")
    if c.kv_channels * c.num_attention_heads != c.hidden_size:
        raise ConfigError(
            f"kv_channels: {c.kv_channels} × {c.num_attention_heads} heads is not "
            f"{c.key('hidden_size')} {c.hidden_size}, which the family requires"
        )
    attention = Attention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads,
        head_dim=c.kv_channels,
        qkv_bias=True,
        out_bias=not c.no_bias,
        names=Projections(fused="c_attn", o="c_proj"),
    )
    ffn = GatedFFN(
        "mlp",
        width=c.hidden_size,
        hidden=c.intermediate_size // 2,
        activation="silu",
        bias=not c.no_bias,
        gate="w2",
        up="w1",
        down="c_proj",
    )
    parts = (attention, ffn, *norms(c, "ln_1", "ln_2"))
    model = decoder(
        c,
        lambda i: parts,
        base="transformer",
        embed="wte",
        stack="h",
        after=norms(c, "ln_f"),
    )
    if c.visual is None:
        return model
    return replace(model, blocks=(*model.blocks, *qwen_visual.blocks(c.visual, f"{root(c, 'transformer')}visual")))
