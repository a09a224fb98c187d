"""Mixtures of experts: widths, pools, what one token uses. Expected values are worked out by hand in each test."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.moe import Moe, moe
from ffncalc.components.ffn import GatedFFN
from ffncalc.components.moe import MoE
from ffncalc.ir import Block, Model

LLAMA4 = {
    "model_type": "llama4_text",
    "vocab_size": 10,
    "hidden_size": 4,
    "intermediate_size": 6,
    "intermediate_size_mlp": 8,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 2,
    "num_local_experts": 3,
    "num_experts_per_tok": 1,
    "interleave_moe_layer_step": 2,
}


def of(ref: str | dict[str, Any]) -> Moe:
    found = moe(ffncalc.load(ref))
    assert found is not None
    return found


def test_a_model_without_experts_has_none() -> None:
    assert moe(ffncalc.load("meta-llama/Llama-3.1-8B")) is None


def test_deepseek_v3_by_hand() -> None:
    found = of("deepseek-ai/DeepSeek-V3")
    expert = 3 * 7168 * 2048
    assert found.main.params_per_expert == expert == 44_040_192
    assert (found.layers, found.dense_layers) == (58, 3)
    assert (found.main.experts, found.main.top_k, found.main.expert_width, found.main.shared_width) == (
        256,
        8,
        2048,
        2048,
    )
    assert found.main.active == 9 * expert == 396_361_728
    assert found.dense_params == 3 * 7168 * 18432 == 396_361_728
    assert found.routed == 58 * 256 * expert
    assert found.router == 58 * 256 * 7168
    assert found.pool_reference == "dense layer"
    assert round(found.pool_ratio, 1) == 28.6  # 257 experts against 9
    assert found.main.sparsity == 32


def test_totals_are_those_of_the_whole_model() -> None:
    found = of("deepseek-ai/DeepSeek-V3")
    assert (found.total, found.active) == (671_026_404_352, 37_552_282_624)


@pytest.mark.parametrize(
    ("name", "total", "active"),
    [
        ("mistralai/Mixtral-8x7B-v0.1", 46_702_792_704, 12_879_925_248),
        ("Qwen/Qwen3-30B-A3B", 30_532_122_624, 3_353_032_704),
    ],
)
def test_published_totals_and_active_parameters(name: str, total: int, active: int) -> None:
    found = of(name)
    assert (found.total, found.active) == (total, active)


def test_without_a_dense_layer_the_pool_is_compared_with_what_one_token_uses() -> None:
    found = of("mistralai/Mixtral-8x7B-v0.1")
    assert (found.dense_layers, found.dense_width, found.dense_params) == (0, 0, 0)
    assert found.pool_reference == "active experts"
    assert found.pool_ratio == 4  # 8 experts against 2
    assert found.to_dict()["dense_width"] is None


def test_a_gated_shared_expert_counts_as_shared_and_its_gate_as_router() -> None:
    main = of("Qwen/Qwen1.5-MoE-A2.7B").main
    assert main.shared_width == 5632
    assert main.shared == 3 * 2048 * 5632
    assert main.router == 60 * 2048 + 2048


def test_biases_belong_to_the_experts_and_to_the_router() -> None:
    main = of("openai/gpt-oss-20b").main
    assert main.params_per_expert == 3 * 2880 * 2880 + 2 * 2880 + 2880
    assert main.router == 32 * 2880 + 32


def test_a_shared_ffn_beside_the_experts_is_what_every_token_uses() -> None:
    main = of("ibm-granite/granite-4.0-h-small").main
    assert (main.shared_width, main.shared) == (1536, 3 * 4096 * 1536)


def test_dense_layers_between_the_experts_have_their_own_width() -> None:
    found = of(LLAMA4)
    assert (found.layers, found.dense_layers) == (2, 2)
    assert (found.main.expert_width, found.main.shared_width, found.dense_width) == (6, 6, 8)
    assert found.main.pool == 4 * 3 * 4 * 6
    assert found.pool_ratio == (4 * 3 * 4 * 6) / (3 * 4 * 8)


def test_each_kind_of_layer_is_listed_the_most_frequent_first() -> None:
    expert = GatedFFN("experts.{}", width=4, hidden=6)
    few = MoE("mlp", width=4, experts=2, top_k=1, expert=expert)
    many = MoE("mlp", width=4, experts=8, top_k=2, expert=expert)
    blocks = (
        Block("layers.{}", (few,), indexes=(0,)),
        Block("layers.{}", (many,), indexes=(1, 2)),
    )
    found = moe(Model(model_type="x", architecture="", width=4, blocks=blocks))
    assert found is not None
    assert [(kind.layers, kind.experts) for kind in found.kinds] == [(2, 8), (1, 2)]
    assert found.layers == 3
    assert found.routed == (2 + 2 * 8) * 3 * 4 * 6


def test_numbers_keep_their_derivation() -> None:
    main = of("deepseek-ai/DeepSeek-V3").main
    assert main.params_per_expert.symbols == "3 × hidden_size × moe_intermediate_size"  # type: ignore[attr-defined]
    assert main.params_per_expert.values == "3 × 7168 × 2048"  # type: ignore[attr-defined]


def test_the_contract_names_what_it_promises() -> None:
    found = of("mistralai/Mixtral-8x7B-v0.1").to_dict()
    promised = {"layers", "experts", "top_k", "expert_width", "shared_width", "params_per_expert", "total", "active"}
    assert promised <= found.keys()
    assert all(type(found[name]) is int for name in promised)
