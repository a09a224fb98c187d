"""The FFNs of DeepSeek-V3 and its kin: dense in the first layers, then a mixture of experts with shared ones.

Sources: https://arxiv.org/abs/2401.06066 (DeepSeekMoE), https://arxiv.org/abs/2412.19437 (DeepSeek-V3).
"""

from __future__ import annotations

from collections.abc import Sequence

from ffncalc.architectures._decoder import DecoderConfig, norms
from ffncalc.architectures.patterns import after, per_layer
from ffncalc.components.embedding import Embedding, Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.components.norm import Norm
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Block, Component, Role
from ffncalc.schema import BaseConfig, Count, Repeats, Size


class RoutedConfig(DecoderConfig):
    """Fields of the experts, and of the layers that predict further tokens."""

    aliases = {"n_routed_experts": ("n_routed_experts", "num_local_experts", "num_experts")}
    intermediate_size: Size
    moe_intermediate_size: Size | None = None
    n_routed_experts: Size | None = None
    n_shared_experts: Count | None = None
    num_experts_per_tok: Size | None = None
    first_k_dense_replace: Count = 0
    mlp_layer_types: list[str] | None = None
    attention_bias: bool = False
    num_nextn_predict_layers: Repeats | None = 0


def required(c: BaseConfig, field: str) -> int:
    """The value of an optional field where the model cannot do without it.

    Raises:
        ConfigError: the file has none, and neither has the class.
    """
    value: int | None = getattr(c, field)
    if value is None:
        raise ConfigError(f"{c.key(field)}: missing, and required")
    return value


def layer_ffns(c: RoutedConfig, dense: Component, sparse: Component) -> Sequence[Component]:
    """The FFN of each layer, from `mlp_layer_types` or `first_k_dense_replace`.

    Raises:
        ConfigError: for an unknown entry.
    """
    if c.mlp_layer_types is None:
        return after(c.num_hidden_layers, c.first_k_dense_replace, sparse, dense)
    known = {"dense": dense, "sparse": sparse}
    try:
        kinds = [known[kind] for kind in c.mlp_layer_types]
    except KeyError as error:
        raise ConfigError(
            f"mlp_layer_types: unknown entry {shown(error.args[0])}, expected one of {', '.join(known)}"
        ) from None
    return per_layer("mlp_layer_types", kinds, c.num_hidden_layers)


def dense_ffn(c: RoutedConfig, *, bias: bool = False) -> GatedFFN:
    return GatedFFN("mlp", width=c.hidden_size, hidden=c.intermediate_size, activation=c.hidden_act, bias=bias)


def experts(c: RoutedConfig, *, bias: bool = False, correction: str = "gate.e_score_correction_bias") -> MoE:
    """`bias` is that of the shared experts; the routed ones have none.

    Without `num_experts_per_tok` every expert counts as used (DeepSeek-V2's class has no default).
    """
    hidden, count = required(c, "moe_intermediate_size"), required(c, "n_routed_experts")
    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=count,
        top_k=c.num_experts_per_tok or count,
        expert=GatedFFN("experts.{}", width=c.hidden_size, hidden=hidden, activation=c.hidden_act),
        shared=GatedFFN(
            "shared_experts",
            width=c.hidden_size,
            hidden=c.n_shared_experts * hidden,
            activation=c.hidden_act,
            bias=bias,
        )
        if c.n_shared_experts
        else None,
        correction=correction,
    )


def mtp(
    c: RoutedConfig, layer: tuple[Component, ...], *, copies: bool = True, final: str = "shared_head.norm"
) -> tuple[Block, ...]:
    """Multi-token-prediction layers after the last one, as stored: `copies` of embedding and head, or none."""
    if not c.num_nextn_predict_layers:
        return ()
    indexes = tuple(c.num_hidden_layers + i for i in range(c.num_nextn_predict_layers))
    parts = (
        *norms(c, "enorm", "hnorm"),
        Linear("eh_proj", width=2 * c.hidden_size, out=c.hidden_size, role=Role.OTHER),
        Norm(final, width=c.hidden_size),
    )
    shared = (
        Embedding("embed_tokens", rows=c.vocab_size, width=c.hidden_size, tied="model.embed_tokens.weight"),
        Linear("shared_head.head", width=c.hidden_size, out=c.vocab_size, tied="lm_head.weight"),
    )
    return (Block("model.layers.{}", (*layer, *parts, *(shared if copies else ())), indexes=indexes),)
