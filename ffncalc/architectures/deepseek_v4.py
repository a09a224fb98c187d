"""DeepSeek-V4: windows with compressed attention, hyper-connections, experts chosen by token in the first layers.

Source: DeepSeek-V4 technical report (2026), https://huggingface.co/deepseek-ai/DeepSeek-V4-Flash, transformers
models/deepseek_v4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from ffncalc.architectures._decoder import DecoderConfig, decoder, norms
from ffncalc.components.compressed_attention import CompressedAttention, CompressedIndexer, Compressor
from ffncalc.components.embedding import Linear
from ffncalc.components.ffn import Clamp, GatedFFN
from ffncalc.components.hyper_connection import HyperConnection
from ffncalc.components.moe import MoE
from ffncalc.errors import ConfigError, shown
from ffncalc.ir import FULL, Block, Component, Model, Role, Span
from ffncalc.schema import Count, Few, Repeats, Size

T = TypeVar("T")

SPARSE, HEAVY, SLIDING = "compressed_sparse_attention", "heavily_compressed_attention", "sliding_attention"
RATIOS = {0: SLIDING, 4: SPARSE, 128: HEAVY}  # of the published files


class Config(DecoderConfig):
    aliases = {
        "moe_intermediate_size": ("moe_intermediate_size", "intermediate_size"),
        "n_routed_experts": ("n_routed_experts", "num_local_experts"),
    }
    head_dim: Size | None = 512
    moe_intermediate_size: Size = 2048
    n_routed_experts: Size = 256
    num_experts_per_tok: Size = 6
    q_lora_rank: Size = 1024
    o_groups: Size = 8
    o_lora_rank: Size = 1024
    index_n_heads: Size = 64
    index_head_dim: Size = 128
    index_topk: Size = 512
    hc_mult: Few = 4
    compress_ratios: list[int] | None = None
    compress_rates: dict[str, Size] | None = None
    compress_rate_csa: Size | None = None
    compress_rate_hca: Size | None = None
    mlp_layer_types: list[str] | None = None
    num_hash_layers: Count = 3
    mlp_bias: bool = False
    swiglu_limit: float | None = None
    num_nextn_predict_layers: Repeats | None = 0


def build(c: Config) -> Model:
    around = (
        *norms(c, "attn_norm", "ffn_norm"),
        HyperConnection("", width=c.hidden_size, streams=c.hc_mult, prefix="hc_attn"),
        HyperConnection("", width=c.hidden_size, streams=c.hc_mult, prefix="hc_ffn"),
    )
    mixers = {kind: mixer(c, kind) for kind in (SPARSE, HEAVY, SLIDING)}
    ffns: dict[str, Component] = {"hash_moe": experts(c, hashed=True), "moe": experts(c, hashed=False)}
    kinds, choices = layer_kinds(c), expert_kinds(c)
    parts = {
        (kind, choice): (*mixers[kind], ffns[choice], *around)
        for kind, choice in dict.fromkeys(zip(kinds, choices, strict=True))
    }
    return decoder(
        c,
        lambda i: parts[kinds[i], choices[i]],
        base="",
        embed="embed",
        after=(*norms(c, "norm"), collapse(c)),
        head="head",
        mtp=mtp(c, (*mixers[SLIDING], ffns["moe"], *around)),
    )


def mixer(c: Config, kind: str) -> tuple[Component, ...]:
    """The attention of a layer, with the compressor and indexer it has."""
    sparse = kind == SPARSE
    rate = compress_rate(c, kind)
    compressed = Span("top_k", c.index_topk, rate) if sparse else Span("full", stride=rate)
    attention = CompressedAttention(
        "attn",
        width=c.hidden_size,
        heads=c.num_attention_heads,
        head_dim=c.head_size,
        q_rank=c.q_lora_rank,
        groups=c.o_groups,
        out_rank=c.o_lora_rank,
        window=Span("sliding", c.window) if c.window else FULL,
        compressed=None if kind == SLIDING else compressed,
    )
    if kind == SLIDING:
        return (attention,)
    compressor = Compressor("attn.compressor", width=c.hidden_size, head_dim=c.head_size, rate=rate, overlap=sparse)
    if kind == HEAVY:
        return (attention, compressor)
    indexer = CompressedIndexer(
        "attn.indexer",
        width=c.hidden_size,
        heads=c.index_n_heads,
        head_dim=c.index_head_dim,
        q_rank=c.q_lora_rank,
        rate=rate,
    )
    return (attention, compressor, indexer)


def compress_rate(c: Config, kind: str) -> int:
    """How many tokens share a key."""
    rates = {SPARSE: 4, HEAVY: 128} | (c.compress_rates or {})
    own = {SPARSE: c.compress_rate_csa, HEAVY: c.compress_rate_hca}.get(kind)
    return own or rates.get(kind, 1)


def experts(c: Config, *, hashed: bool) -> MoE:
    """Experts as wide as the shared one; `hashed`: a table of the vocabulary chooses, and there is no balance bias."""

    def expert(name: str, bias: bool) -> GatedFFN:
        return GatedFFN(
            name,
            width=c.hidden_size,
            hidden=c.moe_intermediate_size,
            activation=c.hidden_act,
            bias=bias,
            gate="w1",
            up="w3",
            down="w2",
            clamp=Clamp(c.swiglu_limit) if c.swiglu_limit else None,
        )

    return MoE(
        "ffn",
        width=c.hidden_size,
        experts=c.n_routed_experts,
        top_k=c.num_experts_per_tok,
        expert=expert("experts.{}", bias=False),
        shared=expert("shared_experts", bias=c.mlp_bias),
        correction="" if hashed else "gate.bias",
        table=c.vocab_size if hashed else 0,
    )


def collapse(c: Config) -> HyperConnection:
    return HyperConnection("", width=c.hidden_size, streams=c.hc_mult, prefix="hc_head", head=True)


def mtp(c: Config, layer: tuple[Component, ...]) -> tuple[Block, ...]:
    """Multi-token-prediction layers: a layer without compression, on embedding and hidden state projected apart."""
    if not c.num_nextn_predict_layers:
        return ()
    width = c.hidden_size
    parts = (
        *norms(c, "enorm", "hnorm", "norm"),
        Linear("e_proj", width=width, out=width, role=Role.OTHER),
        Linear("h_proj", width=width, out=width, role=Role.OTHER),
        collapse(c),
    )
    return (Block("mtp.{}", (*layer, *parts), indexes=tuple(range(c.num_nextn_predict_layers))),)


def layer_kinds(c: Config) -> Sequence[str]:
    """The attention of each layer: `layer_types`, else `compress_ratios`, else heavy twice and then both in turns.

    Raises:
        ConfigError: for an unknown entry, or too few.
    """
    count = c.num_hidden_layers
    if c.layer_types is None and c.compress_ratios is None:
        return [SPARSE if i > 2 and i % 2 else HEAVY for i in range(count)]
    if c.layer_types is not None:
        return listed("layer_types", c.layer_types, count, {kind: kind for kind in RATIOS.values()})
    return listed("compress_ratios", c.compress_ratios or [], count, RATIOS)


def expert_kinds(c: Config) -> Sequence[str]:
    """How each layer chooses its experts.

    Raises:
        ConfigError: for an unknown entry, or too few.
    """
    if c.mlp_layer_types is not None:
        known = {kind: kind for kind in ("hash_moe", "moe")}
        return listed("mlp_layer_types", c.mlp_layer_types, c.num_hidden_layers, known)
    return ["hash_moe" if i < c.num_hash_layers else "moe" for i in range(c.num_hidden_layers)]


def listed(name: str, entries: Sequence[T], count: int, known: Mapping[T, str]) -> list[str]:
    """One known entry per layer; entries beyond the last layer are those of the layers for further tokens."""
    if len(entries) < count:
        raise ConfigError(f"{name}: has {len(entries)} entries, but num_hidden_layers is {count}")
    for entry in entries:
        if entry not in known:
            raise ConfigError(f"{name}: unknown entry {shown(entry)}, expected one of {', '.join(map(str, known))}")
    return [known[entry] for entry in entries[:count]]
