"""Zamba: Mamba in heads, and in some layers before it one transformer block that all of them share.

The block reads the layer's input beside the embedding, so its attention is twice as wide as the model.

Source: https://arxiv.org/abs/2405.16712, transformers models/zamba.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms, root
from ffncalc.architectures._ssm import head_width, step_rank
from ffncalc.architectures._zamba import repeated
from ffncalc.architectures.patterns import per_layer
from ffncalc.architectures.zamba2 import KINDS
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.mamba import HeadedMamba
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import AutoSize, Count, Size


class Config(DecoderConfig):
    aliases = {"layer_types": ("layers_block_type", "layer_types"), "head_dim": ("attention_head_dim", "head_dim")}
    hidden_act: str = "gelu"
    intermediate_size: Size
    attention_hidden_size: Size | None = None
    attn_layer_period: Size = 6
    attn_layer_offset: Count = 4
    n_mamba_heads: Size = 2
    mamba_d_state: Size = 16
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_dt_rank: AutoSize = "auto"
    mamba_conv_bias: bool = True
    mamba_proj_bias: bool = False


def build(c: Config) -> Model:
    shares = sharing(c)
    plain = (mamba(c, "mamba"), *norms(c, "input_layernorm"))
    own: tuple[Component, ...] = (
        Linear("linear", width=c.hidden_size, out=c.hidden_size, role=Role.OTHER),
        mamba(c, "mamba_decoder.mamba"),
        *norms(c, "mamba_decoder.input_layernorm"),
    )
    first = shares.index(True) if True in shares else -1
    stored = shared_block(c)
    once, again = (*stored, *own), (*repeated(stored, f"{root(c, 'model')}layers.{first}"), *own)
    parts = [(once if i == first else again) if shared else plain for i, shared in enumerate(shares)]
    return decoder(c, lambda i: parts[i], after=norms(c, "final_layernorm"))


def sharing(c: Config) -> list[bool]:
    """Whether each layer has the shared block before its Mamba: a list, or the third layer and then periodically."""
    if c.layer_types is None:
        later = [i % c.attn_layer_period == c.attn_layer_offset for i in range(c.num_hidden_layers - 3)]
        return [False, False, True, *later][: c.num_hidden_layers]
    kinds = per_layer(c.key("layer_types"), c.layer_types, c.num_hidden_layers)
    if unknown := set(kinds) - KINDS.keys():
        raise ConfigError(f"{c.key('layer_types')}: unknown entry {shown(min(unknown))}, expected mamba or hybrid")
    return [KINDS[kind] for kind in kinds]


def mamba(c: Config, name: str) -> HeadedMamba:
    inner = c.mamba_expand * c.hidden_size
    return HeadedMamba(
        name,
        width=c.hidden_size,
        heads=c.n_mamba_heads,
        head_dim=head_width(c, inner, c.n_mamba_heads, "auto", fields=("n_mamba_heads", "n_mamba_heads")),
        size=c.mamba_d_state,
        rank=step_rank(c.mamba_dt_rank, c.hidden_size),
        kernel=c.mamba_d_conv,
        bias=c.mamba_proj_bias,
        conv_bias=c.mamba_conv_bias,
    )


def shared_block(c: Config) -> tuple[Component, ...]:
    """The transformer block that the layers share."""
    module, width = "shared_transf", c.attention_hidden_size or 2 * c.hidden_size
    return (
        Attention(
            f"{module}.self_attn",
            width=width,
            heads=c.num_attention_heads,
            kv_heads=c.kv_heads,
            head_dim=c.head_dim or 2 * c.hidden_size // c.num_attention_heads,
            out=c.hidden_size,
        ),
        GatedFFN(f"{module}.feed_forward", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act),
        Norm(f"{module}.input_layernorm", width=width),
        *norms(c, f"{module}.pre_ff_layernorm"),
    )
