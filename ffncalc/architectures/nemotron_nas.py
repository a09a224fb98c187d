"""Nemotron-NAS (DeciLM): a Llama from which a search removed or thinned parts, layer by layer (`block_configs`).

A part that is `no_op` is absent, and so is its norm. One that is `replace_with_linear` is a single linear map. The
FFN width is 2/3 × `ffn_mult` × hidden_size, rounded up to a multiple of 256.
Source: arXiv:2411.19146; modeling_decilm.py of nvidia/Llama-3_1-Nemotron-51B-Instruct.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, divided, norms
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.errors import ConfigError
from ffncalc.formula import Num
from ffncalc.ir import FULL, Component, Model, Role, Span
from ffncalc.record import record
from ffncalc.schema import BaseConfig, Count, Size

MULTIPLE = 256


class AttentionBlock(BaseConfig):
    n_heads_in_group: Size | None = None
    no_op: bool = False
    replace_with_linear: bool = False
    window_length: Count | None = None
    num_sink_tokens: Count | None = None


class FFNBlock(BaseConfig):
    ffn_mult: float | None = None
    no_op: bool = False
    replace_with_linear: bool = False


class BlockConfig(BaseConfig):
    attention: AttentionBlock
    ffn: FFNBlock


class Config(DecoderConfig):
    block_configs: list[BlockConfig]
    attention_bias: bool = False
    mlp_bias: bool = False


@record(frozen=True, kw_only=True)
class ReplacedAttention(Linear):
    """A linear map of the token alone, in place of attention."""

    slot = "mixer"

    def describe(self) -> str:
        return "linear"


@record(frozen=True, kw_only=True)
class ReplacedFFN(Linear):
    """A linear map in place of the FFN."""

    slot = "ffn"

    def describe(self) -> str:
        return "linear"


def build(c: Config) -> Model:
    before, between = norms(c, "input_layernorm", "post_attention_layernorm")
    blocks = per_layer("block_configs", c.block_configs, c.num_hidden_layers)
    mixers: dict[tuple[object, ...], tuple[Component, ...]] = {}
    ffns: dict[tuple[object, ...], tuple[Component, ...]] = {}
    layers = []
    for i, block in enumerate(blocks):
        a, f = block.attention, block.ffn
        path = f"block_configs[{i}]"
        mixer_key = (a.no_op, a.replace_with_linear, a.n_heads_in_group, a.window_length, a.num_sink_tokens)
        ffn_key = (f.no_op, f.replace_with_linear, f.ffn_mult)
        if mixer_key not in mixers:
            mixers[mixer_key] = () if a.no_op else (before, attention(c, a, f"{path}.attention"))
        if ffn_key not in ffns:
            ffns[ffn_key] = () if f.no_op else (between, feed_forward(c, f, f"{path}.ffn"))
        layers.append((*mixers[mixer_key], *ffns[ffn_key]))
    return decoder(c, lambda i: layers[i])


def attention(c: Config, block: AttentionBlock, path: str) -> Component:
    if block.replace_with_linear:
        return ReplacedAttention("self_attn.linear_attn", width=c.hidden_size, out=c.hidden_size, role=Role.MIXER)
    group = block.n_heads_in_group
    if group is None or c.num_attention_heads % group:
        raise ConfigError(
            f"{path}.n_heads_in_group: must divide num_attention_heads {c.num_attention_heads}, got {group}"
        )
    window = block.window_length
    return Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.num_attention_heads // group,
        head_dim=divided(c, "hidden_size", "num_attention_heads"),
        span=FULL if window is None else Span("sliding", window + (block.num_sink_tokens or 0)),
        qkv_bias=c.attention_bias,
        out_bias=c.attention_bias,
    )


def feed_forward(c: Config, block: FFNBlock, path: str) -> Component:
    if block.replace_with_linear:
        return ReplacedFFN("mlp.linear_mlp", width=c.hidden_size, out=c.hidden_size, role=Role.DENSE)
    mult = block.ffn_mult
    if mult is None or not 0 < mult <= 1000:
        raise ConfigError(f"{path}.ffn_mult: must be positive and at most 1000, got {mult}")
    hidden = -(-int(2 * mult * int(c.hidden_size) / 3) // MULTIPLE) * MULTIPLE
    return GatedFFN(
        "mlp",
        width=c.hidden_size,
        hidden=Num(hidden, op=f"up_to_{MULTIPLE}[{mult:g}·2/3]", args=(c.hidden_size,)),
        activation=c.hidden_act,
        bias=c.mlp_bias,
    )
