"""DeepSeek-V3.2 and GLM-5: DeepSeek-V3 whose latent attention sees the tokens that an indexer chooses.

Sources: https://arxiv.org/abs/2512.02556 (DeepSeek-V3.2), transformers models/deepseek_v32 and models/glm_moe_dsa.
"""

from __future__ import annotations

from ffncalc.architectures import deepseek_v3
from ffncalc.architectures._decoder import decoder, norms
from ffncalc.architectures._routed import dense_ffn, experts, layer_ffns, mtp
from ffncalc.architectures.patterns import per_layer
from ffncalc.components.indexer import Indexer
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import Component, Model, Span
from ffncalc.schema import Count, Size


class Config(deepseek_v3.Config):
    aliases = {"n_routed_experts": ("num_experts", "n_routed_experts", "num_local_experts")}
    q_lora_rank: Size = 1536
    index_topk: Size = 2048
    index_head_dim: Size = 128
    index_n_heads: Size = 64
    indexer_types: list[str] | None = None
    index_topk_pattern: str | list[str] | None = None
    index_topk_freq: Count = 1
    index_skip_topk_offset: int = 2


def build(c: Config) -> Model:
    mixer = deepseek_v3.attention(c, Span("top_k", c.index_topk))
    indexer = Indexer(
        "self_attn.indexer",
        width=c.hidden_size,
        heads=c.index_n_heads,
        head_dim=c.index_head_dim,
        q_rank=c.q_lora_rank,
    )
    around = norms(c, "input_layernorm", "post_attention_layernorm")
    sparse = experts(c)
    ffns, indexed = layer_ffns(c, dense_ffn(c), sparse), indexed_layers(c)

    def layer(i: int) -> tuple[Component, ...]:
        own = (indexer,) if indexed[i] else ()
        return (mixer, *own, ffns[i], *around)

    copies = c.model_type == "deepseek_v32"  # of embedding and head, which GLM-5 does not store again
    return decoder(c, layer, mtp=mtp(c, (mixer, indexer, sparse, *around), copies=copies))


def indexed_layers(c: Config) -> list[bool]:
    """Whether each layer has an indexer of its own; the others see what the last one chose (arXiv:2603.12201).

    Raises:
        ConfigError: for an unknown entry.
    """
    count = c.num_hidden_layers
    if c.model_type == "deepseek_v32":
        return [True] * count
    key = "indexer_types" if c.indexer_types is not None else "index_topk_pattern"
    kinds = c.indexer_types if c.indexer_types is not None else c.index_topk_pattern
    if kinds is None:
        step = max(c.index_topk_freq, 1)
        return [max(i - c.index_skip_topk_offset + 1, 0) % step == 0 for i in range(count)]
    known = {"full": True, "shared": False, "F": True, "S": False}
    try:
        return list(per_layer(key, [known[kind] for kind in kinds], count))
    except KeyError as error:
        raise ConfigError(f"{key}: unknown entry {shown(error.args[0])}, expected full or shared") from None
