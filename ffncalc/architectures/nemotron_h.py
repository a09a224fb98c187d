"""Nemotron-H and Nemotron 3: one block per layer, which is Mamba-2, attention, an FFN, or latent experts.

Source: https://arxiv.org/abs/2504.03624, https://arxiv.org/abs/2512.20856; transformers models/nemotron_h.
"""

from __future__ import annotations

from dataclasses import replace

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import FFN
from ffncalc.components.mamba import Mamba2
from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import Count, Repeats, Size

LETTERS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
NAMES = {"linear_attention": "mamba", "full_attention": "attention"} | {kind: kind for kind in LETTERS.values()}

Parts = tuple[Component, ...]


class Config(DecoderConfig):
    aliases = {
        "hidden_act": ("mlp_hidden_act",),
        "head_dim": ("head_dim", "attention_head_dim"),
        "layer_types": ("layers_block_type", "layer_types"),
        "n_groups": ("mamba_n_groups",),
        "conv_kernel": ("mamba_d_conv",),
        "use_conv_bias": ("mamba_conv_bias",),
        "n_routed_experts": ("n_routed_experts", "num_local_experts"),
    }
    num_hidden_layers: Count = 0  # the pattern has one letter per layer
    head_dim: Size | None = 128
    intermediate_size: Size = 21504
    mlp_bias: bool = False
    use_bias: bool = False
    hybrid_override_pattern: str | None = None
    mamba_num_heads: Size
    mamba_head_dim: Size
    ssm_state_size: Size
    n_groups: Size
    conv_kernel: Size = 4
    use_conv_bias: bool = True
    n_routed_experts: Size = 8
    num_experts_per_tok: Size = 2
    moe_intermediate_size: Size = 7688
    moe_shared_expert_intermediate_size: Size = 7688
    moe_latent_size: Size | None = None
    num_nextn_predict_layers: Repeats = 0
    mtp_hybrid_override_pattern: str | None = None
    mtp_layers_block_type: list[str] | None = None


def build(c: Config) -> Model:
    found = kinds(c, "layer_types", c.layer_types, "hybrid_override_pattern", c.hybrid_override_pattern)
    if found is None:
        raise ConfigError("hybrid_override_pattern: missing, and required")
    blocks: dict[str, Parts] = {
        "mamba": (mamba(c),),
        "attention": (attention(c),),
        "mlp": (feed_forward(c, "mixer", c.intermediate_size),),
        "moe": experts(c),
    }
    parts = {kind: (*block, *norms(c, "norm")) for kind, block in blocks.items()}
    model = decoder(
        c.replace(num_hidden_layers=len(found)),
        lambda i: parts[found[i]],
        base="backbone",
        embed="embeddings",
        after=norms(c, "norm_f"),
        mtp=mtp(c, parts),
    )
    if c.num_hidden_layers in (0, len(found)):
        return model
    note = f"num_hidden_layers is {c.num_hidden_layers}, but the layer pattern has {len(found)} entries, which count"
    return replace(model, notes=(*model.notes, note))


def kinds(
    c: Config, list_field: str, entries: list[str] | None, pattern_field: str, text: str | None
) -> list[str] | None:
    """What each layer is, from a list of words or else from a pattern of letters; None where there is neither.

    Raises:
        ConfigError: an unknown word or letter, or no layer at all.
    """
    if entries is None and text is None:
        return None
    field, known, given = (
        (pattern_field, LETTERS, list(text or "")) if entries is None else (list_field, NAMES, entries)
    )
    if not given or set(given) - known.keys():
        bad = min(set(given) - known.keys(), default="")
        raise ConfigError(f"{c.key(field)}: unknown entry {shown(bad)}, expected {', '.join(known)}")
    return [known[entry] for entry in given]


def mamba(c: Config) -> Mamba2:
    return Mamba2(
        "mixer",
        width=c.hidden_size,
        heads=c.mamba_num_heads,
        head_dim=c.mamba_head_dim,
        size=c.ssm_state_size,
        groups=c.n_groups,
        kernel=c.conv_kernel,
        bias=c.use_bias,
        conv_bias=c.use_conv_bias,
    )


def attention(c: Config) -> Attention:
    return Attention(
        "mixer", width=c.hidden_size, heads=c.num_attention_heads, kv_heads=c.kv_heads, head_dim=c.head_size
    )


def feed_forward(c: Config, name: str, hidden: int) -> FFN:
    return FFN(name, width=c.hidden_size, hidden=hidden, activation=c.hidden_act, bias=c.mlp_bias)


def experts(c: Config) -> Parts:
    """Experts without gates, on a latent of the token where `moe_latent_size` says so, beside a shared FFN."""
    width = c.moe_latent_size or c.hidden_size
    moe = MoE(
        "mixer",
        width=c.hidden_size,
        experts=c.n_routed_experts,
        top_k=c.num_experts_per_tok,
        expert=FFN("experts.{}", width=width, hidden=c.moe_intermediate_size, activation=c.hidden_act),
        shared=feed_forward(c, "shared_experts", c.moe_shared_expert_intermediate_size),
        correction="gate.e_score_correction_bias",
    )
    if c.moe_latent_size is None:
        return (moe,)
    down = Linear("mixer.fc1_latent_proj", width=c.hidden_size, out=width, role=Role.ROUTED, bias=c.mlp_bias)
    up = Linear("mixer.fc2_latent_proj", width=width, out=c.hidden_size, role=Role.ROUTED, bias=c.mlp_bias)
    return (moe, down, up)


def mtp(c: Config, parts: dict[str, Parts]) -> tuple[Block, ...]:
    """Multi-token prediction: the layers of its own pattern, the first with the projection of both inputs."""
    if not c.num_nextn_predict_layers:
        return ()
    fields = (
        "mtp_layers_block_type",
        c.mtp_layers_block_type,
        "mtp_hybrid_override_pattern",
        c.mtp_hybrid_override_pattern,
    )
    found = (kinds(c, *fields) or ["attention", "moe"]) * c.num_nextn_predict_layers
    start = (
        *norms(c, "enorm", "hnorm"),
        Linear("eh_proj", width=2 * c.hidden_size, out=c.hidden_size, role=Role.OTHER),
    )
    end = norms(c, "final_layernorm")
    size = len(found) // c.num_nextn_predict_layers
    return tuple(
        Block(
            "mtp.layers.{}",
            (*parts[kind], *(start if i % size == 0 else ()), *(end if i % size == size - 1 else ())),
            indexes=(i,),
        )
        for i, kind in enumerate(found)
    )
