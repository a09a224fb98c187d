"""ERNIE 4.5: a mixture of experts in a range of layers, with shared experts and a balance bias that is a parameter.

Source: ERNIE 4.5 technical report (2025), transformers models/ernie4_5_moe.
"""

from __future__ import annotations

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.attention import Attention
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.components.norm import Norm
from ffncalc.ir import Block, Component, Model, Role
from ffncalc.schema import Count, Repeats, Size


class Config(DecoderConfig):
    aliases = {
        "moe_num_experts": ("moe_num_experts", "num_experts"),
        "moe_k": ("moe_k", "num_experts_per_tok"),
    }
    intermediate_size: Size
    moe_intermediate_size: Size = 1536
    moe_num_experts: Size = 64
    moe_k: Size = 6
    moe_num_shared_experts: Count = 2
    moe_layer_start_index: Count = 1
    moe_layer_end_index: int = -1
    moe_layer_interval: Size = 1
    use_bias: bool = False
    num_nextn_predict_layers: Repeats | None = 0


def build(c: Config) -> Model:
    mixer = Attention(
        "self_attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        kv_heads=c.kv_heads,
        head_dim=c.head_size,
        qkv_bias=c.use_bias,
        out_bias=c.use_bias,
    )
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    sparse, dense = experts(c), gated(c, "mlp", c.intermediate_size)
    ffns: list[Component] = [sparse if moe else dense for moe in moe_layers(c)]
    return decoder(c, lambda i: (mixer, ffns[i], *around), head_bias=c.use_bias, mtp=mtp(c, (mixer, dense, *around)))


def mtp(c: Config, layer: tuple[Component, ...]) -> tuple[Block, ...]:
    """Multi-token-prediction layers: a dense layer, on embedding and hidden state normed and projected together."""
    indexes = tuple(range(c.num_nextn_predict_layers or 0))
    norm = Norm("", width=c.hidden_size)
    joined = Linear("", width=2 * c.hidden_size, out=c.hidden_size, role=Role.OTHER, bias=c.use_bias)
    parts: dict[str, tuple[Component, ...]] = {
        "mtp_block": layer,
        "mtp_emb_norm": (norm,),
        "mtp_hidden_norm": (norm,),
        "mtp_linear_proj": (joined,),
    }
    return tuple(Block(f"model.{name}.{{}}", found, indexes=indexes) for name, found in parts.items() if indexes)


def gated(c: Config, name: str, hidden: int) -> GatedFFN:
    return GatedFFN(name, width=c.hidden_size, hidden=hidden, activation=c.hidden_act, bias=c.use_bias)


def experts(c: Config) -> MoE:
    shared = c.moe_num_shared_experts * c.moe_intermediate_size
    return MoE(
        "mlp",
        width=c.hidden_size,
        experts=c.moe_num_experts,
        top_k=c.moe_k,
        expert=GatedFFN("experts.{}", width=c.hidden_size, hidden=c.moe_intermediate_size, activation=c.hidden_act),
        shared=gated(c, "shared_experts", shared) if shared else None,
        correction="moe_statics.e_score_correction_bias",
        correction_is="parameter",
        correction_rows=1,
    )


def moe_layers(c: Config) -> list[bool]:
    """Every `moe_layer_interval`-th layer from the start index to the end index, where -1 is the last layer."""
    last = c.num_hidden_layers - 1 if c.moe_layer_end_index == -1 else c.moe_layer_end_index
    return [
        (i + 1) % c.moe_layer_interval == 0 and c.moe_layer_start_index <= i <= last for i in range(c.num_hidden_layers)
    ]
