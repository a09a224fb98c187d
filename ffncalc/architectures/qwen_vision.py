"""The vision towers of Qwen2-VL, 2.5-VL, 3-VL, 3-Omni and EXAONE 4.5: images as short films, patches merged at the end.

Sources: arXiv:2409.12191, arXiv:2502.13923, arXiv:2511.21631; transformers models/qwen{2,2_5,3}_vl.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._tower import LoopConfig, attention, encoder_tower, norms
from ffncalc.components.attention import Attention, Projections
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import FFN, GatedFFN, fc1_fc2
from ffncalc.components.media import Convolution
from ffncalc.components.norm import Norm
from ffncalc.ir import Component, Model, Role
from ffncalc.schema import Ratio, Size

OMNI = "qwen3_omni_moe_vision_encoder"  # Qwen3-VL's tower, with the names of its mergers from Qwen2.5


class Config(LoopConfig):
    aliases = {"depth": ("num_hidden_layers",), "num_heads": ("num_attention_heads",)}
    embed_dim: Size = 1280  # Qwen2-VL: the width of the tower, whose hidden_size is that of the language model
    mlp_ratio: Ratio = 4
    intermediate_size: Size = 3420
    out_hidden_size: Size = 3584
    num_position_embeddings: Size = 2304
    num_key_value_heads: Size = 8  # EXAONE 4.5 alone shares keys and values among heads
    deepstack_visual_indexes: list[int] = [8, 16, 24]


def build(c: Config) -> Model:
    return {
        "qwen2_vl_vision": first,
        "qwen2_5_vl_vision": second,
        "qwen2_5_omni_vision_encoder": second,
        "exaone4_5_vision": second,
        "qwen3_vl_vision": third,
        "qwen3_vl_moe_vision": third,
        "qwen3_5_vision": fourth,
        "qwen3_5_moe_vision": fourth,
        OMNI: third,
    }[c.model_type](c)


def first(c: Config) -> Model:
    """Qwen2-VL: LayerNorm, plain FFN."""
    width = c.embed_dim
    layer = (
        projected(c, width),
        fc1_fc2("mlp", width, int(width * c.mlp_ratio), c.hidden_act),
        *norms(width, "norm1", "norm2"),
    )
    after = (*norms(width, "merger.ln_q"), *merger(c, width, c.hidden_size))
    return encoder_tower(c, width, c.depth, lambda i: layer, before=(patches(c, width),), stack="blocks", after=after)


def second(c: Config) -> Model:
    """Qwen2.5-VL: RMSNorm, gated FFN, windows in most layers."""
    width = c.hidden_size
    layer = (
        projected(c, width),
        GatedFFN("mlp", width=width, hidden=c.intermediate_size, activation=c.hidden_act, bias=True),
        *norms(width, "norm1", "norm2", bias=False),
    )
    after = (*norms(width, "merger.ln_q", bias=False), *merger(c, width, c.out_hidden_size))
    return encoder_tower(c, width, c.depth, lambda i: layer, before=(patches(c, width),), stack="blocks", after=after)


def third(c: Config) -> Model:
    """Qwen3-VL and -Omni: learned positions, and mergers that feed some layers to the first ones of the decoder."""
    width = c.hidden_size
    layer = (
        projected(c, width),
        FFN(
            "mlp",
            width=width,
            hidden=c.intermediate_size,
            activation=c.hidden_act,
            bias=True,
            up="linear_fc1",
            down="linear_fc2",
        ),
        *norms(width, "norm1", "norm2"),
    )
    positions = Embedding("pos_embed", rows=c.num_position_embeddings, width=width, role=Role.POSITION)
    omni = c.model_type == OMNI
    names = (
        f"{'merger_list' if omni else 'deepstack_merger_list'}.{i}" for i, _ in enumerate(c.deepstack_visual_indexes)
    )
    deep = [part for name in names for part in deepstack(c, name)]
    return encoder_tower(
        c,
        width,
        c.depth,
        lambda i: layer,
        before=(patches(c, width, bias=True), positions),
        stack="blocks",
        after=(
            Norm("merger.ln_q" if omni else "merger.norm", width=width, bias=True),
            *mapped(c, "merger"),
            *deep,
        ),
    )


def fourth(c: Config) -> Model:
    """Qwen3.5: Qwen3-VL's tower without the mergers in between."""
    return third(c.replace(deepstack_visual_indexes=[]))


def patches(c: Config, width: int, *, bias: bool = False) -> Convolution:
    return Convolution("patch_embed.proj", channels=c.in_channels, out=width, kernel=c.kernel, bias=bias)


def projected(c: Config, width: int) -> Attention:
    apart = c.model_type == "qwen2_5_omni_vision_encoder"
    names = Projections(q="q", k="k", v="v", o="proj") if apart else Projections(fused="qkv", o="proj")
    found = attention("attn", width, c.num_heads, names)
    return replace(found, kv_heads=c.num_key_value_heads) if c.model_type == "exaone4_5_vision" else found


def merged(c: Config, width: int) -> int:
    """The width of a square of patches laid side by side."""
    return width * c.spatial_merge_size * c.spatial_merge_size


def merger(c: Config, width: int, out: int) -> tuple[Component, ...]:
    inner = merged(c, width)
    return (
        Linear("merger.mlp.0", width=inner, out=inner, role=Role.OTHER, bias=True),
        Linear("merger.mlp.2", width=inner, out=out, role=Role.OTHER, bias=True),
    )


def mapped(c: Config, name: str) -> tuple[Component, ...]:
    inner = merged(c, c.hidden_size)
    first, second = ("mlp.0", "mlp.2") if c.model_type == OMNI else ("linear_fc1", "linear_fc2")
    return (
        Linear(f"{name}.{first}", width=inner, out=inner, role=Role.OTHER, bias=True),
        Linear(f"{name}.{second}", width=inner, out=c.out_hidden_size, role=Role.OTHER, bias=True),
    )


def deepstack(c: Config, name: str) -> tuple[Component, ...]:
    """A merger whose norm comes after the patches are laid side by side."""
    norm = "ln_q" if c.model_type == OMNI else "norm"
    return (Norm(f"{name}.{norm}", width=merged(c, c.hidden_size), bias=True), *mapped(c, name))
