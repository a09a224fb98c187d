"""Recurrent and hybrid families: what their configs trip over, worked out by hand or from published totals."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.flops import flops
from ffncalc.components.delta import GatedDeltaNet, KimiDeltaAttention
from ffncalc.components.mamba import HeadedMamba, Mamba, Mamba2
from ffncalc.components.rglru import RecurrentBlock
from ffncalc.components.rwkv import Receptance, TimeMix
from ffncalc.components.short_conv import ShortConv
from ffncalc.errors import ConfigError
from ffncalc.ir import Component, Model

STACK = {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 4}
ATTENTION = {"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 24}
NEMOTRON = {
    **STACK,
    **ATTENTION,
    "model_type": "nemotron_h",
    "hybrid_override_pattern": "M-*E",
    "mamba_num_heads": 4,
    "mamba_head_dim": 8,
    "ssm_state_size": 8,
    "n_groups": 1,
    "head_dim": 8,
}
ZAMBA2 = {
    **STACK,
    **ATTENTION,
    "model_type": "zamba2",
    "num_key_value_heads": 4,
    "layers_block_type": ["hybrid", "mamba", "hybrid", "hybrid"],
    "n_mamba_heads": 4,
    "mamba_d_state": 8,
    "adapter_rank": 2,
    "use_shared_attention_adapter": True,
}
LFM2 = {**STACK, **ATTENTION, "model_type": "lfm2", "layer_types": ["conv"] * 4}
GRANITE = {
    **STACK,
    **ATTENTION,
    "model_type": "granitemoehybrid",
    "shared_intermediate_size": 20,
    "num_local_experts": 0,
    "num_experts_per_tok": 0,
    "mamba_n_heads": 4,
    "mamba_d_state": 8,
}
QWEN = {
    **STACK,
    **ATTENTION,
    "model_type": "qwen3_next",
    "linear_num_key_heads": 1,
    "linear_num_value_heads": 2,
    "linear_key_head_dim": 4,
    "linear_value_head_dim": 4,
    "num_experts": 2,
    "num_experts_per_tok": 1,
    "moe_intermediate_size": 8,
    "shared_expert_intermediate_size": 8,
}
KIMI = {
    **STACK,
    **ATTENTION,
    "model_type": "kimi_linear",
    "num_experts": 2,
    "num_experts_per_token": 1,
    "moe_intermediate_size": 8,
    "kv_lora_rank": 4,
    "qk_nope_head_dim": 4,
    "qk_rope_head_dim": 2,
    "v_head_dim": 4,
    "linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "head_dim": 4, "num_heads": 2},
}


def kinds(model: Model, slot: str = "mixer") -> list[str]:
    found = {i: block.kind(slot) for block in model.layers for i in block.indexes}
    return [found[i] for i in sorted(found)]


# 2 FLOPs for each product with or into a state element; (state elements, products), then the cache by hand.
@pytest.mark.parametrize(
    ("part", "per_token", "cached"),
    [
        (Mamba("m", width=4, inner=8, size=4, rank=1, kernel=4), 2 * 3 * 8 * 4, 8 * 4 + 3 * 8),
        (HeadedMamba("m", width=4, heads=2, head_dim=4, size=4, rank=1, kernel=4), 2 * 3 * 8 * 4, 8 * 4 + 3 * 8),
        (Mamba2("m", width=4, heads=2, head_dim=4, size=8, groups=1, kernel=4), 2 * 3 * 8 * 8, 8 * 8 + 3 * (8 + 16)),
        (
            GatedDeltaNet("m", width=4, key_heads=1, value_heads=2, key_dim=3, value_dim=5, kernel=4),
            2 * 4 * 2 * 5 * 3,
            2 * 5 * 3 + 3 * (3 + 3 + 10),
        ),
        (KimiDeltaAttention("m", width=4, heads=2, head_dim=3, kernel=4), 2 * 4 * 2 * 9, 2 * 9 + 3 * 3 * 6),
        (TimeMix("m", width=4, inner=6), 2 * 4 * 6, 3 * 6 + 4),
        (Receptance("m", width=4), 0, 4),
        (RecurrentBlock("m", width=4, inner=6, heads=2, kernel=4), 2 * 2 * 6, 6 + 3 * 6),
        (ShortConv("m", width=4, kernel=3), 0, 2 * 4),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Component) else "",
)
def test_state_update_and_cache_do_not_depend_on_the_context(part: Component, per_token: int, cached: int) -> None:
    mixings, caches = part.mixing(), part.cache()
    assert sum(m.per_token for m in mixings) == per_token
    assert all(m.source for m in mixings)
    assert sum(c.constant for c in caches) == cached
    assert not any(m.per_key for m in mixings)
    assert not any(c.per_token for c in caches)


@pytest.mark.parametrize(
    "name", ["state-spaces/mamba-130m-hf", "mistralai/Mamba-Codestral-7B-v0.1", "tiiuae/falcon-mamba-7b"]
)
def test_mamba_has_no_ffn_and_no_attention(name: str) -> None:
    found = ffncalc.params(ffncalc.load(name))
    assert found.by_category["ffn"] == found.by_category["attention"] == 0
    assert found.expansion == ()


def test_mamba_costs_the_same_at_any_context() -> None:
    near, far = flops(ffncalc.load("state-spaces/mamba-130m-hf"), ctx=[1, 1_000_000]).points
    # 24 layers: in 768 × 3072, x 1536 × 80, Δ 48 × 1536, out 1536 × 768; state 1536 × 16; head 50280 × 768
    layer = 2 * (768 * 3072 + 1536 * 80 + 48 * 1536 + 1536 * 768) + 6 * 1536 * 16
    assert near.total == far.total == 24 * layer + 2 * 50280 * 768


def test_falcon_mamba_reads_its_channels_and_not_the_expansion_of_sixteen() -> None:
    config = {**STACK, "model_type": "falcon_mamba", "expand": 16, "intermediate_size": 32}
    shapes = {t.name: t.shape for _, _, t in ffncalc.load(config).tensors()}
    assert shapes["out_proj.weight"] == (16, 32)


# Counts of elements on the Hub, with what the checkpoint stores besides the model.
@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", 81_324_862_720),
        ("moonshotai/Kimi-Linear-48B-A3B-Instruct", 49_122_681_728),
    ],
)
def test_model_and_extras_are_the_whole_checkpoint(name: str, stored: int) -> None:
    found = ffncalc.params(ffncalc.load(name))
    assert found.total + found.mtp + found.buffers == stored


def test_zamba_stores_the_shared_block_once_and_runs_it_each_time() -> None:
    model = ffncalc.load(ZAMBA2)
    found, (point,) = ffncalc.params(model), flops(model, ctx=1).points
    wide, adapters = 32, 3 * 2 * (16 + 48)  # rank 2, three uses, gate and up of 24
    block = 3 * wide * wide + wide * 16
    lora = 3 * 3 * 2 * (wide + wide)
    assert found.by_category["attention"] == block + lora
    assert found.by_category["ffn"] == 3 * 16 * 24 + adapters
    assert found.active == found.total
    assert point.by_category["ffn"] == 2 * (3 * 3 * 16 * 24 + adapters)
    assert point.by_category["attention_projections"] == 2 * (3 * block + lora)
    assert kinds(model) == ["full attention + mamba2", "mamba2"] + ["full attention + mamba2"] * 2
    assert kinds(model, "ffn") == ["dense", "", "dense", "dense"]


def test_two_shared_blocks_take_turns() -> None:
    model = ffncalc.load({**ZAMBA2, "num_mem_blocks": 2})
    owners = {b.indexes: {t.tied.split(".shared")[0] for p in b.parts for t in p.tensors()} for b in model.layers}
    assert owners == {(0,): {""}, (1,): {""}, (2,): {""}, (3,): {"", "model.layers.0"}}


@pytest.mark.parametrize(
    ("fields", "width"),
    [
        ({"intermediate_size": 12288}, 8192),
        ({"intermediate_size": 6656}, 4608),
        ({"intermediate_size": 12288, "block_ffn_dim_multiplier": 1.3}, 10752),  # 10649.6, up to a multiple of 256
        ({"intermediate_size": 12288, "block_ffn_dim_multiplier": None}, 8192),
        ({"intermediate_size": 10752, "block_auto_adjust_ff_dim": False}, 10752),
        ({"intermediate_size": 1, "block_ff_dim": 12288}, 8192),
        ({"intermediate_size": 1000, "block_multiple_of": 7}, 672),
    ],
)
def test_lfm2_takes_two_thirds_of_its_width_and_rounds_up(fields: dict[str, Any], width: int) -> None:
    (expansion,) = ffncalc.params(ffncalc.load({**LFM2, **fields})).expansion
    assert expansion.hidden == width


def test_lfm2_attends_where_it_is_told() -> None:
    old = {key: value for key, value in LFM2.items() if key != "layer_types"} | {"full_attn_idxs": [1]}
    assert kinds(ffncalc.load(old)) == ["short convolution", "full attention", "short convolution", "short convolution"]


def test_granite_without_experts_has_the_shared_ffn_alone() -> None:
    found = ffncalc.params(ffncalc.load(GRANITE))
    assert found.by_role["ffn.dense"] == 4 * 3 * 16 * 20
    assert [(e.kind, e.hidden) for e in found.expansion] == [("dense", 20)]
    with_experts = ffncalc.params(ffncalc.load({**GRANITE, "num_local_experts": 2, "num_experts_per_tok": 1}))
    assert with_experts.by_role["ffn.shared_expert"] == 4 * 3 * 16 * 20
    assert {(e.kind, e.hidden) for e in with_experts.expansion} == {("routed_expert", 24), ("shared_expert", 20)}


def test_jamba_attends_and_routes_by_periods() -> None:
    model = ffncalc.load("ai21labs/Jamba-v0.1")
    assert [i for i, kind in enumerate(kinds(model)) if kind == "full attention"] == [4, 12, 20, 28]
    assert [i for i, kind in enumerate(kinds(model, "ffn")) if kind == "moe"] == list(range(1, 32, 2))


def test_recurrent_gemma_repeats_its_block_types_and_halves_its_ffn() -> None:
    model = ffncalc.load("google/recurrentgemma-2b")
    assert kinds(model)[:4] == ["rg-lru", "rg-lru", "sliding 2,048 attention", "rg-lru"]
    (expansion,) = ffncalc.params(model).expansion
    assert (expansion.hidden, expansion.ratio) == (7680, 3.0)


def test_nemotron_has_one_block_per_layer() -> None:
    model = ffncalc.load(NEMOTRON)
    assert kinds(model) == ["mamba2", "", "full attention", ""]
    assert kinds(model, "ffn") == ["", "dense", "", "moe"]


def test_nemotron_pattern_decides_on_the_number_of_layers() -> None:
    model = ffncalc.load({**NEMOTRON, "num_hidden_layers": 9})
    assert model.layer_count == 4
    assert "num_hidden_layers is 9" in model.notes[0]


def test_nemotron_super_experts_work_on_a_latent() -> None:
    found = ffncalc.params(ffncalc.load("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"))
    # 40 layers: 512 experts 1024 → 2688 → 1024 without a gate, and the two projections of the latent
    assert found.by_role["ffn.routed_expert"] == 40 * (512 * 2 * 1024 * 2688 + 2 * 4096 * 1024)
    attention = 4096 * (2 * 4096 + 2 * 256)
    experts = 512 * 2 * 1024 * 2688 + 2 * 4096 * 1024 + 2 * 4096 * 5376 + 512 * 4096
    assert found.mtp - attention - experts - 2 * 4096 * 4096 == 5 * 4096 + 512  # norms, and the balance bias


@pytest.mark.parametrize(
    ("config", "fields", "named"),
    [
        (NEMOTRON, {"hybrid_override_pattern": "MX*E"}, "hybrid_override_pattern: unknown entry 'X'"),
        (NEMOTRON, {"hybrid_override_pattern": ""}, "hybrid_override_pattern"),
        (NEMOTRON, {"hybrid_override_pattern": None}, "hybrid_override_pattern: missing"),
        (ZAMBA2, {"layers_block_type": ["mamba"]}, "layers_block_type: has 1 entries"),
        (ZAMBA2, {"n_mamba_heads": 5}, "n_mamba_heads: 5 does not divide"),
        (LFM2, {"layer_types": ["conv", "convs", "conv", "conv"]}, "layer_types: unknown entry 'convs'"),
        (GRANITE, {"mamba_d_head": 7}, "mamba_n_heads, mamba_d_head: 4 heads of 7"),
        (GRANITE, {"num_local_experts": 2}, "num_experts_per_tok"),
        (QWEN, {"layer_types": ["linear", "linear", "linear", "linear"]}, "layer_types: unknown entry 'linear'"),
        (KIMI, {"linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 4]}}, "each of the layers 1 … 4"),
        (
            {**STACK, **ATTENTION, "model_type": "jamba", "attn_layer_offset": 8},
            {},
            "attn_layer_offset: 8 must be smaller than attn_layer_period 8",
        ),
    ],
)
def test_a_config_that_contradicts_itself_is_an_error(
    config: dict[str, Any], fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError) as error:
        ffncalc.load({**config, **fields})
    assert named in str(error.value)


def test_kimi_linear_numbers_its_layers_from_one() -> None:
    assert kinds(ffncalc.load(KIMI)) == ["kimi delta attention"] * 3 + ["latent attention"]
    assert kinds(ffncalc.load(KIMI), "ffn") == ["dense", "moe", "moe", "moe"]


def test_qwen3_5_counts_the_language_model_alone_where_its_class_says_so() -> None:
    text = {key: value for key, value in QWEN.items() if key not in ("model_type", "intermediate_size")}
    config = {"model_type": "qwen3_5_moe", "text_config": text, "architectures": ["Qwen3_5MoeForCausalLM"]}
    alone = ffncalc.params(ffncalc.load(config))
    both = ffncalc.params(ffncalc.load({**config, "architectures": ["Qwen3_5MoeForConditionalGeneration"]}))
    assert alone.by_category["multimodal"] == 0
    assert both.total - alone.total == both.by_category["multimodal"] > 0
