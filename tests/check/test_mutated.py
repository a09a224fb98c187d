"""One field broken at a time is found by the right rule, at the right field; legal oddities are left alone."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

import ffncalc
from ffncalc.checks.divisors import divisors
from ffncalc.checks.finding import Severity
from ffncalc.errors import ConfigError
from ffncalc.source import bundled
from tests.check.configs import ABSENT, DEEPSEEK, GEMMA, LLAMA, QWEN_MOE, changed, config, errors, found
from tests.check.mutated import GEMMA_VL, LAYERS, MISTRAL, MIXTRAL, MUTATIONS, QWEN_VL, Mutation
from tests.check.mutated_families import IN_FAMILIES

CASES = (*MUTATIONS, *IN_FAMILIES)


@pytest.mark.parametrize("mutation", CASES, ids=str)
def test_a_broken_field_is_found_and_named(mutation: Mutation) -> None:
    findings = found(changed(config(mutation.base), mutation.change), **mutation.options)
    assert (mutation.code, mutation.field, mutation.severity) in {(f.code, f.field, f.severity.value) for f in findings}


@pytest.mark.parametrize("mutation", [m for m in CASES if m.change], ids=str)
def test_what_is_found_is_not_found_before_it_is_broken(mutation: Mutation) -> None:
    whole = config(mutation.base)
    before = {(f.code, f.field, f.message) for f in found(whole, **mutation.options)}
    after = {(f.code, f.field, f.message) for f in found(changed(whole, mutation.change), **mutation.options)}
    assert (mutation.code, mutation.field) in {(code, field) for code, field, _ in after - before}


def test_the_list_is_long_and_covers_every_group() -> None:
    assert len({(m.base, m.field, str(m.change)) for m in MUTATIONS}) >= 34
    assert {m.code[0] for m in MUTATIONS} == set("FSMEDPC")


ODDITIES: dict[str, tuple[str, dict[str, Any]]] = {
    "30 heads of an explicit head_dim": (
        LLAMA,
        {"num_attention_heads": 30, "num_key_value_heads": 10, "head_dim": 128},
    ),
    "head_dim × heads is not the width": (LLAMA, {"head_dim": 64}),
    "head_dim null": (LLAMA, {"head_dim": None}),
    "kv heads null": (LLAMA, {"num_key_value_heads": None}),
    "an odd but valid width": (LLAMA, {"intermediate_size": 14337}),
    "a width of 2112": (GEMMA, {"intermediate_size": 2112}),
    "rope of llama3 does not multiply out": (LLAMA, {"max_position_embeddings": 131072}),
    "layer_types as long as the layers with those for prediction": (
        DEEPSEEK,
        {"layer_types": ["full_attention"] * 62},
    ),
    "layer_types longer by a layer for prediction": (
        LLAMA,
        {"num_nextn_predict_layers": 1, "layer_types": [*LAYERS, "full_attention"]},
    ),
    "layer_types of full attention": (LLAMA, {"layer_types": LAYERS}),
    "no latent for queries": (DEEPSEEK, {"q_lora_rank": None}),
    "no group-limited routing": (DEEPSEEK, {"n_group": 1, "topk_group": 1}),
    "a window that is null": (MIXTRAL, {"sliding_window": None}),
    "no experts": (QWEN_MOE, {"num_experts": 0}),
    "whole numbers as floats": (LLAMA, {"hidden_size": 4096.0}),
    "several end tokens": (LLAMA, {"eos_token_id": [128001, 128008, 128009]}),
    "no padding token": (LLAMA, {"pad_token_id": None}),
    "keys that only engines read": (LLAMA, {"unsloth_version": "2025.1", "mm_hidden_size": 1024, "pretraining_tp": 1}),
    "a type nested in another": (QWEN_VL, {"text_config": {"model_type": ABSENT}}),
    "code of its own under a new type": (LLAMA, {"model_type": "llamax", "auto_map": {"AutoConfig": "c.C"}}),
    "a new type with a class of its name": (LLAMA, {"model_type": "zeta", "architectures": ["ZetaForCausalLM"]}),
    "experts as wide as the class has them": (QWEN_MOE, {"moe_intermediate_size": ABSENT}),
    "experts of another field": (MIXTRAL, {"moe_intermediate_size": ABSENT}),
    "no experts and no width for them": (QWEN_MOE, {"num_experts": 0, "moe_intermediate_size": None}),
    "one group for all inputs": (LLAMA, {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": -1}}),
    "a mean of bits": (LLAMA, {"quantization_config": {"quant_method": "exl2", "bits": 2.5}}),
    "quantisation with nulls": (
        LLAMA,
        {"quantization_config": {"quant_method": "fp8", "weight_block_size": None, "modules_to_not_convert": None}},
    ),
    "quantisation with a rule for one module": (
        LLAMA,
        {"quantization": {"group_size": 64, "bits": 4, "lm_head": {"group_size": 32, "bits": 8}, "model.norm": False}},
    ),
    "an epsilon of zero": (LLAMA, {"rms_norm_eps": 0}),
    "no dropout, as an integer": (LLAMA, {"attention_dropout": 0}),
    "a base for each layer": (LLAMA, {"rope_theta": [10000.0, 500000.0] * 16}),
    "a dtype for each part": (LLAMA, {"torch_dtype": {"text_config": "bfloat16"}}),
    "values that are null": (
        LLAMA,
        {"eos_token_id": None, "rope_theta": None, "attention_dropout": None, "torch_dtype": None, "use_cache": None},
    ),
    "one size twice": (DEEPSEEK, {"num_experts": 256, "num_kv_heads": 128, "n_inner": 18432}),
    "one size inside and outside": (QWEN_VL, {"hidden_size": 2048, "vocab_size": 151936}),
    "a part of a new generation": (QWEN_VL, {"text_config": {"model_type": "qwen4_vl_text"}}),
    "a tower with heads of its own width": (
        GEMMA_VL,
        {"vision_config": {"num_attention_heads": 7, "head_dim": 64}},
    ),
    "partial rotary embeddings": (LLAMA, {"partial_rotary_factor": 0.5}),
    "a window of 0 that no layer has": (
        "Qwen/Qwen2.5-7B",  # of 28 layers
        {"use_sliding_window": True, "max_window_layers": 28, "sliding_window": 0},
    ),
    "no step between windows": ("LGAI-EXAONE/EXAONE-4.0-1.2B", {"sliding_window_pattern": 0}),
    "sliding layers switched off": (
        "Qwen/Qwen2.5-7B",
        {"use_sliding_window": False, "sliding_window": None},
    ),
}


@pytest.mark.parametrize("name", ODDITIES)
def test_a_legal_oddity_is_no_error(name: str) -> None:
    base, change = ODDITIES[name]
    assert errors(changed(config(base), change)) == []


@pytest.mark.parametrize(
    "mutation", [m for m in MUTATIONS if m.field.startswith("quantization_config") and m.severity == "error"], ids=str
)
def test_a_quantisation_that_cannot_be_is_the_only_error_and_its_bytes_are_not_guessed(mutation: Mutation) -> None:
    raw = changed(config(mutation.base), mutation.change)
    assert errors(raw) == [f"{mutation.code} {mutation.field}"]
    with pytest.raises(ConfigError, match=f"^{re.escape(mutation.field)}: must be "):
        ffncalc.memory(ffncalc.load(raw))


KEYS_BESIDE: dict[str, dict[str, Any]] = {
    "null": {"num_hidden_layer": None},
    "another type": {"num_hidden_layer": "32"},
    "a key that some class has": {"num_layers": 32},
    "another word": {"text_hidden_size": 4096},
    "another word of its length": {"max_hidden_layers": 32},
    "a short one": {"n_hd": 32},
}


@pytest.mark.parametrize("name", KEYS_BESIDE)
def test_a_key_that_is_meant_for_no_other_is_left_alone(name: str) -> None:
    raw = changed(config(LLAMA), KEYS_BESIDE[name])
    assert [f.field for f in found(raw) if f.code == "F008"] == []


@pytest.mark.parametrize(
    "name",
    [
        "LlamaForCausalLMEagle3",
        "LlamaForCausalLMV2",
        "LlamaBidirectionalModel",
        "Llama4ForCausalLM",
        "LLaMAForCausalLM",
        "Foo",
        "ForCausalLM",
    ],
)
def test_a_class_that_may_be_another_is_not_called_misspelt(name: str) -> None:
    assert [f.message for f in found(config(LLAMA) | {"architectures": [name]}) if f.code == "F014"] == []


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("mosaicml/mpt-7b", "MPTForCausalLM"),
        ("microsoft/Phi-3.5-MoE-instruct", "PhiMoEForCausalLM"),
        ("LGAI-EXAONE/K-EXAONE-236B-A23B", "ExaoneMoEForCausalLM"),
    ],
)
def test_a_published_class_with_other_capitals_is_not_called_misspelt(base: str, name: str) -> None:
    assert [f.message for f in found(config(base) | {"architectures": [name]}) if f.code in ("F009", "F014")] == []


def test_code_of_its_own_for_a_type_of_its_own_may_have_any_class_and_activation() -> None:
    raw = config(LLAMA) | {"model_type": "llamax", "auto_map": {"AutoConfig": "c.C"}}
    raw |= {"architectures": ["LamaForCasualLM"], "hidden_act": "swiglu2"}
    assert [f.message for f in found(raw) if f.code in ("F009", "F014", "S004")] == []


@pytest.mark.parametrize(
    ("base", "change", "error"),
    [
        ("google/gemma-3n-E2B-it", {"layer_types": ["full_attention", "sliding_atention"] * 15}, "S006 layer_types[1]"),
        ("meta-llama/Llama-4-Scout-17B-16E", {"no_rope_layers": [1, 1, 1, 0] * 11}, "S005 no_rope_layers"),
        (GEMMA_VL, {"layer_types": ["full_attention"] * 33}, "S005 layer_types"),
        (QWEN_VL, {"hidden_size": 0}, "F004 hidden_size"),
    ],
)
def test_a_fault_inside_a_nested_config_is_said_once(base: str, change: dict[str, Any], error: str) -> None:
    raw = changed(config(base), {"text_config": change})
    code, _, field = error.partition(" ")
    assert errors(raw) == [f"{code} text_config.{field}"]


@pytest.mark.parametrize("value", ["large", [1], 7])
def test_a_nested_config_that_is_no_object_is_said_once(value: object) -> None:
    raw = config(QWEN_VL) | {"text_config": value, "vision_config": value}
    assert errors(raw) == ["F003 text_config", "F003 vision_config"]


def test_a_class_default_is_not_named_as_a_value_of_the_file() -> None:
    # Mistral has 8 key/value heads by default.
    raw = changed(config(MISTRAL), {"num_attention_heads": 12, "head_dim": 128, "num_key_value_heads": ABSENT})
    (message,) = [f.message for f in found(raw) if f.code == "S002"]
    assert message == (
        "num_key_value_heads 8 is no divisor of num_attention_heads 12; "
        "num_key_value_heads is not in the file: 8 is the default of the class"
    )
    written = changed(raw, {"num_key_value_heads": 8})
    (message,) = [f.message for f in found(written) if f.code == "S002"]
    assert message == "num_key_value_heads 8 is no divisor of num_attention_heads 12"


def test_the_first_wrong_list_of_gemma_3n_is_named_before_a_class_default() -> None:
    # 4 layers are fewer than the 15 that share their keys and values by default.
    small = {
        "num_hidden_layers": 4,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
        "activation_sparsity_pattern": [0.0] * 4,
        "intermediate_size": [96, 96, 128],
        "num_kv_shared_layers": ABSENT,
    }
    raw = changed(config("google/gemma-3n-E4B-it")["text_config"], small)
    assert errors(raw) == ["S005 intermediate_size"]
    with pytest.raises(ConfigError, match=r"^intermediate_size: has 3 entries, but num_hidden_layers is 4$"):
        ffncalc.load(raw)
    raw["intermediate_size"] = [96, 96, 128, 128]
    note = "num_kv_shared_layers is not in the file: 15 is the default of the class"
    with pytest.raises(ConfigError, match=note):
        ffncalc.load(raw)
    assert [f.message.count(note) for f in found(raw) if f.code == "F012"] == [1]


def test_the_second_name_of_a_size_is_the_one_to_take_out_that_the_family_does_not_read() -> None:
    (finding,) = [f for f in found(changed(config(DEEPSEEK), {"num_experts": 8})) if f.severity is Severity.ERROR]
    assert finding.message == "one size under several names: num_experts 8, n_routed_experts 256"
    assert finding.hint == "Keep n_routed_experts only."


def test_a_list_that_a_family_reads_under_another_name_is_said_once() -> None:
    assert errors(changed(config("Zyphra/Zamba2-1.2B"), {"layers_block_type": ["mamba"] * 37})) == [
        "S005 layers_block_type"
    ]


def test_heads_of_a_mixer_are_no_second_name_of_those_of_attention() -> None:
    raw = changed(config("mistralai/Mamba-Codestral-7B-v0.1"), {"num_attention_heads": 32})  # num_heads is 128
    assert [f.message for f in found(raw) if f.code == "F011"] == []


def test_a_field_of_a_family_that_is_null_is_not_called_missing() -> None:
    messages = {f.field: f.message for f in found(changed(config(DEEPSEEK), {"kv_lora_rank": None}))}
    assert messages["kv_lora_rank"] == "kv_lora_rank is null, and required"
    messages = {f.field: f.message for f in found(changed(config(LLAMA), {"hidden_size": ABSENT}))}
    assert messages["hidden_size"] == "hidden_size is missing, and required"


def test_a_type_that_only_the_class_tells_is_read_and_said() -> None:
    raw = changed(config(LLAMA), {"model_type": ABSENT})
    assert [(f.message, f.hint) for f in found(raw) if f.code == "F006"] == [
        ("model_type is missing: read as llama, by its class", 'Write "model_type": "llama".')
    ]


def test_longer_by_the_prediction_layers_is_a_warning() -> None:
    raw = changed(config(DEEPSEEK), {"layer_types": ["full_attention"] * 62})
    assert [f.severity for f in found(raw) if f.field == "layer_types"] == [Severity.WARNING]


def test_llama_3_scaling_is_not_multiplied_out() -> None:
    assert [f.message for f in found(config(LLAMA)) if f.code == "C002"] == []


@pytest.mark.parametrize("name", [name for name, _ in bundled.entries()])
def test_no_bundled_config_has_an_error(name: str) -> None:
    assert errors(config(name)) == []


def test_divisors_are_those_that_leave_no_rest() -> None:
    assert all(divisors(n) == [d for d in range(1, n + 1) if n % d == 0] for n in range(1, 200))


@pytest.mark.parametrize(
    ("base", "change", "error"),
    [
        (LLAMA, {"num_attention_heads": 10**9, "head_dim": None}, "S001 num_attention_heads"),
        (LLAMA, {"num_attention_heads": 10**9, "num_key_value_heads": 7}, "S002 num_key_value_heads"),
        (DEEPSEEK, {"n_routed_experts": 10**9, "n_group": 7}, "M004 n_group"),
    ],
)
def test_a_hint_about_an_absurd_number_takes_a_moment(base: str, change: dict[str, Any], error: str) -> None:
    start = time.process_time()
    assert error in errors(changed(config(base), change))
    assert time.process_time() - start < 3
