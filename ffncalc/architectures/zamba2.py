"""Zamba2: Mamba-2, and in some layers before it a shared transformer block with adapters for each use.

The block reads the layer's input beside the embedding, so its attention is twice as wide as the model.

Source: https://arxiv.org/abs/2411.15242, transformers models/zamba2.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms, root
from ffncalc.architectures._ssm import head_width
from ffncalc.architectures._zamba import Adapters, repeated
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.mamba import Mamba2
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Size

KINDS = {"mamba": False, "linear_attention": False, "hybrid": True}
USUAL = tuple("mamba" if mark == "m" else "hybrid" for mark in "m" + 7 * "mmmmmh" + "mmmmhmmmhmm")  # without a list


class Config(DecoderConfig):
    aliases = {"layer_types": ("layers_block_type", "layer_types"), "head_dim": ("attention_head_dim", "head_dim")}
    hidden_act: str = "gelu"
    intermediate_size: Size | None = None
    attention_hidden_size: Size | None = None
    mamba_d_state: Size = 64
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_ngroups: Size = 1
    n_mamba_heads: Size = 8
    add_bias_linear: bool = False
    num_mem_blocks: Size = 1
    use_shared_attention_adapter: bool = False
    adapter_rank: Size = 128


def build(c: Config) -> Model:
    shares = sharing(c)
    hybrids = [i for i, shared in enumerate(shares) if shared]
    plain = (mamba(c, "mamba"), *norms(c, "input_layernorm"))
    own: tuple[Component, ...] = (
        Linear("linear", width=c.hidden_size, out=c.hidden_size, role=Role.OTHER),
        mamba(c, "mamba_decoder.mamba"),
        *norms(c, "mamba_decoder.input_layernorm"),
    )
    first = hybrids[: c.num_mem_blocks]
    stored = [shared_block(c, tuple(range(block, len(hybrids), c.num_mem_blocks))) for block in range(len(first))]
    again = [repeated(parts, f"{root(c, 'model')}layers.{i}") for i, parts in zip(first, stored, strict=True)]
    parts = {i: plain for i, shared in enumerate(shares) if not shared}
    for use, i in enumerate(hybrids):
        parts[i] = (*(stored[use] if use < len(first) else again[use % len(first)]), *own)
    return decoder(c, lambda i: parts[i], after=norms(c, "final_layernorm"))


def sharing(c: Config) -> list[bool]:
    """Whether each layer has a shared block before its Mamba-2."""
    kinds = per_layer(c.key("layer_types"), USUAL if c.layer_types is None else c.layer_types, c.num_hidden_layers)
    if unknown := set(kinds) - KINDS.keys():
        raise ConfigError(f"{c.key('layer_types')}: unknown entry {shown(min(unknown))}, expected mamba or hybrid")
    return [KINDS[kind] for kind in kinds]


def mamba(c: Config, name: str) -> Mamba2:
    inner = c.mamba_expand * c.hidden_size
    return Mamba2(
        name,
        width=c.hidden_size,
        heads=c.n_mamba_heads,
        head_dim=head_width(c, inner, c.n_mamba_heads, "auto", fields=("n_mamba_heads", "n_mamba_heads")),
        size=c.mamba_d_state,
        groups=c.mamba_ngroups,
        kernel=c.mamba_d_conv,
        bias=c.add_bias_linear,
    )


def shared_block(c: Config, uses: tuple[int, ...]) -> tuple[Component, ...]:
    """One shared transformer block; `uses` are its places among the layers that have one."""
    module, width = "shared_transformer", c.attention_hidden_size or 2 * c.hidden_size
    hidden = c.intermediate_size or 4 * c.hidden_size
    attention = Attention(
        f"{module}.self_attn",
        width=width,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_dim or 2 * c.hidden_size // c.num_attention_heads,
        out=c.hidden_size,
    )
    ffn = GatedFFN(
        f"{module}.feed_forward",
        width=c.hidden_size,
        hidden=hidden,
        activation=c.hidden_act,
        bias=c.add_bias_linear,
        fused="gate_up_proj",
    )
    lists = tuple(f"linear_{name}_adapter_list" for name in ("q", "k", "v"))
    adapters = [
        adapter(c, ffn.name, uses, c.hidden_size, 2 * hidden, ("gate_up_proj_adapter_list",), Role.DENSE),
    ]
    if c.use_shared_attention_adapter:
        adapters.append(adapter(c, attention.name, uses, width, width, lists, Role.ATTENTION))
    around = (Norm(f"{module}.input_layernorm", width=width), *norms(c, f"{module}.pre_ff_layernorm"))
    return (attention, ffn, *adapters, *around)


def adapter(
    c: Config, name: str, uses: tuple[int, ...], width: int, out: int, lists: tuple[str, ...], role: Role
) -> Adapters:
    return Adapters(name, width=width, out=out, rank=c.adapter_rank, lists=lists, indexes=uses, role=role)
