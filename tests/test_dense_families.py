"""Choices of dense decoder families that a config can switch. Sizes are small, and counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError
from ffncalc.ir import Model

SMALL: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def load(model_type: str, **fields: object) -> Model:
    return ffncalc.load({**SMALL, "model_type": model_type, **fields})


def shapes(model: Model, layer: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the tensors of one layer by their names inside it."""
    (block,) = (b for b in model.layers if layer in b.indexes)
    return {
        ".".join(filter(None, (part.name, tensor.name))): tensor.stored_shape
        for part in block.parts
        for tensor in part.tensors()
    }


def spans(model: Model) -> list[str]:
    """The span of every layer, in order."""
    mixings = [(i, m) for b in model.layers for p in b.parts for m in p.mixing() for i in b.indexes if m.per_key]
    found = {i: str(mixing.span) for i, mixing in mixings}
    return [found[i] for i in range(len(found))]


def kept(model: Model) -> list[int]:
    """Cache elements per token and layer, in order."""
    found = {i: sum(c.per_token for p in b.parts for c in p.cache()) for b in model.layers for i in b.indexes}
    return [found[i] for i in range(len(found))]


WINDOW, FULL = "sliding 8", "full"


@pytest.mark.parametrize(
    ("model_type", "fields", "expected"),
    [
        ("mistral", {}, [WINDOW] * 6),
        ("mistral", {"sliding_window": None}, [FULL] * 6),
        ("qwen2", {}, [FULL] * 6),
        ("qwen2", {"use_sliding_window": True, "max_window_layers": 4}, [FULL] * 4 + [WINDOW] * 2),
        ("gemma2", {}, [WINDOW, FULL] * 3),
        ("gemma3_text", {}, [WINDOW] * 5 + [FULL]),
        ("gemma3_text", {"sliding_window_pattern": 3}, [WINDOW, WINDOW, FULL] * 2),
        ("gemma3_text", {"layer_types": None}, [WINDOW] * 5 + [FULL]),
        ("gemma3_text", {"layer_types": ["full_attention"] * 6}, [FULL] * 6),
        ("gemma3_text", {"use_bidirectional_attention": True}, ["sliding 9"] * 5 + [FULL]),
        ("cohere2", {}, [WINDOW, WINDOW, WINDOW, FULL, WINDOW, WINDOW]),
        ("olmo3", {}, [WINDOW, WINDOW, WINDOW, FULL, WINDOW, WINDOW]),
        ("exaone4", {"sliding_window_pattern": "LLG"}, [WINDOW, WINDOW, FULL] * 2),
        ("exaone4", {"sliding_window": None}, [FULL] * 6),
        ("smollm3", {}, [FULL] * 6),
        ("smollm3", {"use_sliding_window": True}, [FULL, FULL, FULL, WINDOW, FULL, FULL]),
        ("smollm3", {"use_sliding_window": True, "no_rope_layers": [0, 1] * 3}, [WINDOW, FULL] * 3),
        ("starcoder2", {}, [WINDOW] * 6),
        ("gemma3n_text", {"num_kv_shared_layers": 0}, [WINDOW] * 4 + [FULL, WINDOW]),
        ("gemma4_text", {}, [WINDOW] * 5 + [FULL]),
        ("gemma4_text", {"layer_types": ["sliding_attention"] * 6}, [WINDOW] * 5 + [FULL]),
    ],
)
def test_windows_follow_the_rule_of_the_family(model_type: str, fields: dict[str, Any], expected: list[str]) -> None:
    assert spans(load(model_type, **{"sliding_window": 8, **fields})) == expected


def test_an_unknown_letter_in_a_window_pattern_is_named() -> None:
    with pytest.raises(ConfigError, match=r"sliding_window_pattern.*'LLX'"):
        load("exaone4", sliding_window_pattern="LLX")


def test_olmo_norms_have_no_weights() -> None:
    model = load("olmo")
    assert ffncalc.params(model).by_category["norm"] == 0
    assert "input_layernorm.weight" not in shapes(model, 0)


def test_cohere_normalises_each_head_by_itself() -> None:
    found = shapes(load("cohere", use_qk_norm=True), 0)
    assert found["self_attn.q_norm.weight"] == (4, 8)
    assert found["self_attn.k_norm.weight"] == (2, 8)
    assert "self_attn.q_norm.weight" not in shapes(load("cohere"), 0)


def test_olmo2_normalises_all_heads_together() -> None:
    found = shapes(load("olmo2"), 0)
    assert found["self_attn.q_norm.weight"] == (32,)
    assert found["self_attn.k_norm.weight"] == (16,)


def test_stablelm_has_a_norm_per_head_and_one_fewer_per_parallel_layer() -> None:
    serial, parallel = load("stablelm"), load("stablelm", use_parallel_residual=True, qk_layernorm=True)
    # two LayerNorms of 32 + 32 in 6 layers and a last one; one per layer and 4 + 2 head norms of 8
    assert ffncalc.params(serial).by_category["norm"] == 6 * 2 * 64 + 64
    assert ffncalc.params(parallel).by_category["norm"] == 6 * (64 + 6 * 8) + 64


def test_phi_norms_of_queries_and_keys_have_biases() -> None:
    found = shapes(load("phi", qk_layernorm=True), 0)
    assert found["self_attn.q_layernorm.bias"] == found["self_attn.k_layernorm.bias"] == (8,)


def test_bitnet_norms_before_the_last_projections() -> None:
    found = shapes(load("bitnet"), 0)
    assert found["self_attn.attn_sub_norm.weight"] == (32,)
    assert found["mlp.ffn_sub_norm.weight"] == (48,)


def test_xielu_has_two_weights_per_layer() -> None:
    found = ffncalc.params(load("apertus"))
    assert found.by_category["ffn"] == 6 * (2 * 32 * 48 + 2)
    assert ffncalc.params(load("apertus", hidden_act="relu2")).by_category["ffn"] == 6 * 2 * 32 * 48


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "gelu_pytorch_tanh"),
        ({"hidden_act": "relu", "hidden_activation": None}, "relu"),
        ({"hidden_act": "relu", "hidden_activation": "silu"}, "silu"),
    ],
)
def test_gemma_activation_goes_by_either_key_and_null_is_passed_over(fields: dict[str, Any], expected: str) -> None:
    assert ffncalc.params(load("gemma2", **fields)).expansion[0].activation == expected


def test_minicpm3_value_width_defaults_to_the_share_of_a_head() -> None:
    latent = {"kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "num_key_value_heads": 4}
    found = shapes(load("minicpm3", q_lora_rank=None, **latent), 0)
    assert found["self_attn.kv_b_proj.weight"] == (4 * (8 + 8), 16)
    assert found["self_attn.q_proj.weight"] == (4 * (8 + 4), 32)


def test_gemma3n_widths_differ_by_layer_and_last_layers_keep_no_keys() -> None:
    model = load("gemma3n_text", intermediate_size=[10, 10, 20, 20, 20, 20], num_kv_shared_layers=1, head_dim=8)
    assert [(e.hidden, e.layers) for e in ffncalc.params(model).expansion] == [(10, 2), (20, 4)]
    assert kept(model) == [2 * 2 * 8] * 5 + [0]
    assert "self_attn.k_proj.weight" not in shapes(model, 5)


def test_gemma3n_layers_need_one_of_their_kind_to_share_from() -> None:
    with pytest.raises(ConfigError, match="num_kv_shared_layers"):
        load("gemma3n_text", num_kv_shared_layers=3)  # the only full layer is the fifth of six


def test_gemma3n_altup_mixes_its_streams_in_each_layer() -> None:
    """Four streams: [32, 4] × [4, 4] products and a second pass through the router [4, 32], 2 FLOPs each."""
    model = load("gemma3n_text", num_kv_shared_layers=0)
    per_token = [m.per_token for b in model.layers for p in b.parts for m in p.mixing() if m.per_token]
    assert set(per_token) == {2 * 32 * 4 * 4 + 2 * 32 * 4}


def test_gemma4_global_layers_have_wider_heads_and_may_take_values_from_keys() -> None:
    model = load("gemma4_text", head_dim=8, global_head_dim=16, attention_k_eq_v=True, num_global_key_value_heads=1)
    windowed, whole = shapes(model, 0), shapes(model, 5)
    assert windowed["self_attn.v_proj.weight"] == (2 * 8, 32)
    assert whole["self_attn.q_proj.weight"] == (4 * 16, 32)
    assert whole["self_attn.k_proj.weight"] == (1 * 16, 32)
    assert "self_attn.v_proj.weight" not in whole
    assert kept(model) == [2 * 2 * 8] * 5 + [2 * 1 * 16]


@pytest.mark.parametrize("key", ["5", "05", "005"])
def test_gemma4_reads_the_newer_spelling_of_head_sizes(key: str) -> None:
    older = load("gemma4_text", head_dim=8, global_head_dim=16, attention_k_eq_v=True, num_global_key_value_heads=1)
    newer = load(
        "gemma4_text",
        head_dim=8,
        attention_k_eq_v=True,
        per_layer_config={key: {"head_dim": 16, "num_key_value_heads": 1}},
    )
    assert [shapes(newer, i) for i in range(6)] == [shapes(older, i) for i in range(6)]


@pytest.mark.parametrize("key", ["6", "-1", "x", "", "5.0", "9" * 5000, "²"])
def test_gemma4_sizes_of_no_layer_are_an_error(key: str) -> None:
    with pytest.raises(ConfigError, match="is none of 6 layers"):
        load("gemma4_text", per_layer_config={key: {"head_dim": 16}})


def test_gemma4_layers_without_own_keys_may_be_twice_as_wide() -> None:
    kinds = ["sliding_attention", "full_attention"] * 3
    model = load("gemma4_text", layer_types=kinds, num_kv_shared_layers=4, use_double_wide_mlp=True, head_dim=8)
    assert [(e.hidden, e.layers) for e in ffncalc.params(model).expansion] == [(48, 2), (96, 4)]
    assert kept(model)[2:] == [0] * 4


def test_gemma4_experts_stand_beside_the_dense_ffn() -> None:
    model = load(
        "gemma4_text", enable_moe_block=True, num_experts=8, top_k_experts=2, moe_intermediate_size=16, vocab_size=10
    )
    roles = ffncalc.params(model).by_role
    assert roles["ffn.dense"] == 6 * 3 * 32 * 48
    assert roles["ffn.routed_expert"] == 6 * 8 * 3 * 32 * 16
    assert roles["router"] == 6 * (8 * 32 + 32 + 8)
    found = ffncalc.params(model)
    assert found.total - found.active == 6 * 6 * 3 * 32 * 16


def test_gemma4_moe_block_without_sizes_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"enable_moe_block.*num_experts"):
        load("gemma4_text", enable_moe_block=True)


@pytest.mark.parametrize(
    ("architecture", "noted"),
    [("Eagle3LlamaForCausalLM", True), ("LlamaDraftModel", True), ("LlamaForCausalLM", False), ("", False)],
)
def test_a_draft_head_under_a_borrowed_type_is_noted(architecture: str, noted: bool) -> None:
    assert bool(load("llama", architectures=[architecture]).notes) is noted


def test_a_type_that_is_read_from_the_class_is_noted() -> None:
    raw = {
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": 100,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
    }
    assert ffncalc.load(raw).notes == ("model_type is missing: read as llama, by its class",)
    assert ffncalc.load(raw | {"model_type": "llama"}).notes == ()
