"""What a config says of itself against what loaders make of it: quantisation, dtype, rope, sizes in names."""

from __future__ import annotations

from typing import Any

import pytest

from ffncalc.checks.finding import Finding
from tests.check.configs import ABSENT, DEEPSEEK, LLAMA, changed, config, found


def of(code: str, base: str, change: dict[str, Any], **options: Any) -> list[Finding]:
    """What one rule finds in a changed config."""
    return [f for f in found(changed(config(base), change), **options) if f.code == code]


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"bits": 4, "group_size": 128},
        {"load_in_4bit": False},
        {"quant_method": None, "bits": 4},
        {"config_groups": {}},
    ],
    ids=str,
)
def test_a_quantisation_without_a_method_is_found(table: dict[str, Any]) -> None:
    (finding,) = of("C007", LLAMA, {"quantization_config": table})
    assert finding.field == "quantization_config"
    assert finding.message == "quantization_config names no quant_method"


@pytest.mark.parametrize(
    "change",
    [
        {"quantization": {"bits": 4, "group_size": 64}},
        {"quantization": {"bits": 4, "group_size": 64}, "quantization_config": {"bits": 4, "group_size": 64}},
        {"quantization_config": {"bits": 4, "group_size": 64, "mode": "affine"}},
        {"quantization_config": {"load_in_4bit": True}},
        {"quantization_config": {"config_groups": {"group_0": {"weights": {"num_bits": 8}}}}},
        {"quantization_config": {"producer": {"name": "modelopt"}, "quant_algo": "FP8"}},
        {"quantization_config": None},
    ],
    ids=str,
)
def test_a_method_that_the_fields_tell_is_enough(change: dict[str, Any]) -> None:
    assert of("C007", LLAMA, change) == []


@pytest.mark.parametrize("key", ["torch_dtype", "dtype"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bf16", 'Write "bfloat16".'),
        ("fp16", 'Write "float16".'),
        ("torch.bfloat16", 'Write "bfloat16".'),
        ("BFloat16", 'Write "bfloat16".'),
        ("fp8", 'Write "float8_e4m3fn".'),
        ("int4", "quantised is for quantization_config."),
        ("brain", "quantised is for quantization_config."),
    ],
)
def test_a_dtype_that_torch_does_not_have_is_found_with_the_name_that_it_has(key: str, name: str, hint: str) -> None:
    (finding,) = of("C004", LLAMA, {"torch_dtype": ABSENT, key: name})
    assert finding.field == key
    assert finding.message == f"{key} '{name}' is no dtype that torch has for weights"
    assert finding.hint.endswith(hint)


@pytest.mark.parametrize("name", ["auto", "bfloat16", "float16", "half", "float", "float32", "float8_e4m3fn"])
def test_a_dtype_of_torch_is_not_found(name: str) -> None:
    assert of("C004", LLAMA, {"torch_dtype": name}) == []


def test_two_names_of_one_dtype_do_not_disagree() -> None:
    assert of("C004", LLAMA, {"torch_dtype": "half", "dtype": "float16"}) == []


@pytest.mark.parametrize("name", ["float32", "float"])
def test_full_precision_is_found_under_either_of_its_names(name: str) -> None:
    assert [f.field for f in of("C005", LLAMA, {"torch_dtype": name})] == ["torch_dtype"]


@pytest.mark.parametrize(
    ("pp", "severity", "message"),
    [
        (5, "warning", "num_hidden_layers 32 over 5 stages: 2 stages of 7 and 3 of 6"),
        (33, "error", "num_hidden_layers 32 over 33 stages: 1 of them empty"),
    ],
)
def test_uneven_stages_are_a_warning_and_empty_ones_an_error(pp: int, severity: str, message: str) -> None:
    (finding,) = of("D007", LLAMA, {}, pp=pp)
    assert (finding.severity, finding.message) == (severity, message)


HEADS = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16}  # 8 pairs in a head
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [2] * 8}


@pytest.mark.parametrize(
    ("scaling", "code", "field"),
    [
        ({"factor": 4.0}, "C006", "rope_scaling"),
        ({"long_factor": [1.0] * 8, "short_factor": [1.0] * 8}, "C006", "rope_scaling"),
        ({"rope_type": None, "factor": 4.0}, "C006", "rope_scaling"),
        (LONG | {"long_factor": None}, "C006", "rope_scaling"),
        ({"type": "yarn", "rope_type": "linear", "factor": 4.0}, "C009", "rope_scaling.type"),
        ({"type": "linear", "factor": 0.5}, "C009", "rope_scaling.factor"),
        ({"rope_type": "yarn", "factor": 0}, "C009", "rope_scaling.factor"),
        ({"rope_type": "dynamic", "factor": "4.0"}, "C009", "rope_scaling.factor"),
        ({"rope_type": "yarn", "factor": True}, "C009", "rope_scaling.factor"),
        ({"rope_type": "yarn", "factor": 4, "beta_fast": 1, "beta_slow": 32}, "C009", "rope_scaling.beta_fast"),
        ({"rope_type": "llama3", "low_freq_factor": 4, "high_freq_factor": 1}, "C009", "rope_scaling.high_freq_factor"),
        (LONG | {"long_factor": [1.0] * 7}, "C009", "rope_scaling.long_factor"),
        (LONG | {"short_factor": [1.0] * 16}, "C009", "rope_scaling.short_factor"),
        (LONG | {"short_factor": [1.0, "1.0"] * 4}, "C009", "rope_scaling.short_factor[1]"),
        (LONG | {"short_factor": "1.0"}, "C009", "rope_scaling.short_factor"),
        (LONG | {"partial_rotary_factor": 0.5}, "C009", "rope_scaling.long_factor"),
        ({"rope_type": "default", "mrope_section": [2, 3, 4]}, "C009", "rope_scaling.mrope_section"),
        ({"type": "mrope", "mrope_section": [2, 3, "3"]}, "C009", "rope_scaling.mrope_section"),
    ],
    ids=str,
)
def test_a_rope_setting_that_cannot_be_meant_is_found(scaling: dict[str, Any], code: str, field: str) -> None:
    findings = found(changed(config(LLAMA), HEADS | {"rope_scaling": ABSENT}) | {"rope_scaling": scaling})
    assert (code, field, "warning") in {(f.code, f.field, f.severity.value) for f in findings}


@pytest.mark.parametrize(
    "scaling",
    [
        {},
        {"rope_theta": 1e6},
        {"rope_type": "default"},
        {"type": "yarn", "rope_type": "yarn", "factor": 1},
        {"type": "su", "rope_type": "longrope", "short_factor": [1] * 8, "long_factor": [1.5] * 8},
        {"type": "mrope", "rope_type": "default", "mrope_section": [2, 3, 3]},
        {"type": "yarn", "factor": 32, "beta_fast": 1.0, "beta_slow": 1.0},
        {"rope_type": "default", "mrope_section": [1, 1, 2], "partial_rotary_factor": 0.5},
        LONG,
    ],
    ids=str,
)
def test_a_rope_setting_of_a_published_form_is_not_found(scaling: dict[str, Any]) -> None:
    findings = found(changed(config(LLAMA), HEADS | {"rope_scaling": ABSENT}) | {"rope_scaling": scaling})
    assert [f.message for f in findings if f.code in ("C006", "C009")] == []


def test_the_rotated_part_of_latent_attention_is_its_own_field() -> None:
    # 64 values of a head are rotated, of 192.
    scaling = {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [1.0] * 96}
    (finding,) = of("C009", DEEPSEEK, {"rope_scaling": ABSENT, "rope_parameters": scaling})
    assert finding.message == "rope_parameters.long_factor has 96 entries, but 32 pairs of a head are rotated"


def test_the_rotated_part_of_phi_4_mini_is_three_quarters_of_a_head() -> None:
    # 128 × 0.75 / 2 = 48
    raw = config("microsoft/Phi-4-mini-instruct")
    raw["rope_scaling"] = {"type": "longrope", "short_factor": [1.0] * 48, "long_factor": [1.0] * 48}
    assert [f.message for f in found(raw) if f.code in ("C006", "C009")] == []
    raw["rope_scaling"]["long_factor"] = [1.0] * 64
    assert [f.message for f in found(raw) if f.code == "C009"] == [
        "rope_scaling.long_factor has 64 entries, but 48 pairs of a head are rotated"
    ]
    del raw["rope_scaling"]["long_factor"]
    assert [f.message for f in found(raw) if f.code == "C006"] == ["rope_scaling of type longrope lacks long_factor"]


MIXTRAL, MIXTRAL_22B = "mistralai/Mixtral-8x7B-v0.1", "mistralai/Mixtral-8x22B-v0.1"


@pytest.mark.parametrize(
    ("base", "name"),
    [
        (MIXTRAL, "mistralai/Mixtral-8x22B-v0.1"),
        (MIXTRAL_22B, "mistralai/Mixtral-8x7B-v0.1"),
        (MIXTRAL, "org/4x7B"),
        (MIXTRAL, "org/16x7B"),
        (MIXTRAL, "org/8x3B"),
        ("mistralai/Mistral-7B-v0.1", "mistralai/Mixtral-8x7B-v0.1"),
    ],
)
def test_experts_of_another_size_or_number_than_the_name_says_are_found(base: str, name: str) -> None:
    assert [f.field for f in of("C001", base, {"_name_or_path": name})] == ["_name_or_path"]


@pytest.mark.parametrize(
    ("base", "name"),
    [
        (MIXTRAL, "mistralai/Mixtral-8x7B-Instruct-v0.1"),
        (MIXTRAL_22B, "mistralai/Mixtral-8x22B-v0.1"),
        ("openbmb/MiniCPM-MoE-8x2B", "openbmb/MiniCPM-MoE-8x2B"),
        ("allenai/FlexOlmo-7x7B-1T", "allenai/FlexOlmo-7x7B-1T"),
        ("microsoft/Phi-3.5-MoE-instruct", "microsoft/Phi-3.5-MoE-16x3.8B"),
    ],
)
def test_a_product_in_the_name_that_fits_is_not_found(base: str, name: str) -> None:
    assert of("C001", base, {"_name_or_path": name}) == []


def quantised(**table: Any) -> dict[str, Any]:
    return {"quantization_config": table}


@pytest.mark.parametrize("method", ["awq", "gptq"])
def test_a_group_that_divides_no_width_is_an_error_for_each_without_any_split(method: str) -> None:
    # 4096 = 40 × 100 + 96 and 14336 = 143 × 100 + 36
    findings = of("C010", LLAMA, quantised(quant_method=method, bits=4, group_size=100))
    assert [(f.field, f.severity, f.message) for f in findings] == [
        (
            "hidden_size",
            "error",
            "the 4096 inputs of q_proj (hidden_size) are no multiple of the 100 of quantization_config.group_size",
        ),
        (
            "intermediate_size",
            "error",
            "the 14336 inputs of down_proj (intermediate_size) are no multiple of the 100 of "
            "quantization_config.group_size",
        ),
    ]


def test_only_the_width_that_does_not_divide_is_named() -> None:
    # 14400 = 112 × 128 + 64
    change = {"intermediate_size": 14400} | quantised(quant_method="awq", bits=4, group_size=128)
    (finding,) = of("C010", LLAMA, change)
    assert (finding.field, finding.hint) == ("intermediate_size", "A group of 64 divides them.")


def test_the_inputs_of_the_output_projection_are_heads_of_their_width() -> None:
    # 32 × 65 = 2080 = 16 × 128 + 32
    change = {"head_dim": 65} | quantised(quant_method="awq", bits=4, group_size=128)
    finding = of("C010", LLAMA, change)[0]
    assert (finding.field, finding.hint) == ("head_dim", "A group of 32 divides them.")
    assert "the 2080 inputs of o_proj (num_attention_heads, head_dim) are" in finding.message


def test_a_group_of_compressed_tensors_is_a_warning() -> None:
    group = {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 100}}
    table = {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": group}}
    findings = of("C010", LLAMA, quantised(**table, ignore=["lm_head"]))
    assert [(f.field, f.severity) for f in findings] == [("hidden_size", "warning"), ("intermediate_size", "warning")]


@pytest.mark.parametrize(
    "change",
    [
        quantised(quant_method="gptq", bits=4, group_size=-1),
        quantised(quant_method="awq", bits=4, group_size=128),
        quantised(quant_method="fp8", weight_block_size=[100, 100]),
        quantised(quant_method="bitsandbytes", load_in_4bit=True),
        {"quantization": {"bits": 4, "group_size": 96}},
        {"intermediate_size": 14400}
        | quantised(quant_method="awq", bits=4, group_size=128, modules_to_not_convert=["down_proj"]),
    ],
    ids=str,
)
def test_a_matrix_that_is_packed_in_whole_groups_or_not_at_all_is_not_found(change: dict[str, Any]) -> None:
    assert of("C010", LLAMA, change) == []
