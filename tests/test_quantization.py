"""How quantised weights are stored, each layout worked out by hand on one small model."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.module_names import Names
from ffncalc.analysis.parallel import block_of
from ffncalc.errors import ConfigError

# Three layers: q and o [256, 256], k and v [128, 256], gate and up [512, 256], down [256, 512]; 7 norms of 256.
CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 1000,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "torch_dtype": "bfloat16",
    "tie_word_embeddings": False,
}
ATTENTION, FFN, TABLE, NORMS = 3 * 196_608, 3 * 393_216, 256_000, 7 * 256
LINEAR, MATRICES, OUTPUTS, INPUTS = ATTENTION + FFN, 3 * 7, 3 * (768 + 1280), 3 * (4 * 256 + 2 * 256 + 512)
PLAIN = 2 * (2 * TABLE + NORMS)  # embedding, head and norms in bf16


def size(**quantization: Any) -> int:
    """Bytes of the model under a quantisation."""
    return int(ffncalc.memory(ffncalc.load(CONFIG | {"quantization_config": quantization})).total)


def grouped(layout: str, **weights: Any) -> int:
    """Bytes under one group of compressed-tensors on every linear map but the head."""
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    return size(quant_method="compressed-tensors", format=layout, config_groups=groups, ignore=["lm_head"])


def test_without_one() -> None:
    assert int(ffncalc.memory(ffncalc.load(CONFIG)).total) == PLAIN + 2 * LINEAR


def test_fp8_has_a_float32_per_block() -> None:
    # Blocks of 128 × 128: 4 in q and o, 2 in k and v, 8 in each FFN matrix.
    blocks = 3 * (4 + 4 + 2 + 2 + 8 + 8 + 8)
    assert size(quant_method="fp8", weight_block_size=[128, 128]) == PLAIN + LINEAR + 4 * blocks


def test_fp8_blocks_at_the_edge_are_whole_scales() -> None:
    # Blocks of 100 × 100: 3 × 3 for 256 × 256, 2 × 3 for 128 × 256, 6 × 3 for 512 × 256.
    blocks = 3 * (2 * 9 + 2 * 6 + 3 * 18)
    assert size(quant_method="fp8", weight_block_size=[100, 100]) == PLAIN + LINEAR + 4 * blocks


def test_fp8_without_blocks_has_a_scale_per_tensor() -> None:
    assert size(quant_method="fp8", weight_block_size=None) == PLAIN + LINEAR + 4 * MATRICES
    assert size(quant_method="fp8", activation_scheme="static") == PLAIN + LINEAR + 8 * MATRICES


def test_fbgemm_has_a_float32_per_row() -> None:
    assert size(quant_method="fbgemm_fp8") == PLAIN + LINEAR + 4 * OUTPUTS + 4 * MATRICES


def test_modules_that_are_left_alone_keep_their_dtype() -> None:
    # Layer 1, and the gates of all layers.
    kept = 196_608 + 393_216 + 2 * 512 * 256
    left = size(quant_method="fp8", weight_block_size=None, modules_to_not_convert=["model.layers.1", "gate_proj"])
    assert left == PLAIN + (LINEAR - kept) + 2 * kept + 4 * (MATRICES - 7 - 2)


def test_gptq_packs_weights_and_zeros() -> None:
    # Groups of 128 inputs: 2 for 256, 4 for 512; a 16-bit scale and a 4-bit zero for each and output; int32 per input.
    groups = 3 * (768 * 2 + 1024 * 2 + 256 * 4)
    expected = PLAIN + LINEAR // 2 + 2 * groups + groups // 2 + 4 * INPUTS
    assert size(quant_method="gptq", bits=4, group_size=128) == expected
    assert size(quant_method="gptq", bits=4, group_size=-1) == (
        PLAIN + LINEAR // 2 + 2 * OUTPUTS + OUTPUTS // 2 + 4 * INPUTS
    )


def test_gptq_may_pack_the_head_too() -> None:
    with_head = size(quant_method="gptq", bits=8, group_size=256, lm_head=True)
    without = size(quant_method="gptq", bits=8, group_size=256)
    assert without - with_head == 2 * TABLE - (TABLE + 1000 * 3 + 256 * 4)


def test_awq_has_no_index_of_groups() -> None:
    groups = 3 * (768 * 2 + 1024 * 2 + 256 * 4)
    assert size(quant_method="awq", bits=4, group_size=128) == PLAIN + LINEAR // 2 + 2 * groups + groups // 2


def test_bitsandbytes_counts_blocks_along_the_whole_matrix() -> None:
    blocks = LINEAR // 64
    single = size(quant_method="bitsandbytes", load_in_4bit=True)
    assert single == PLAIN + LINEAR // 2 + 4 * blocks + MATRICES * 64
    # Double: a byte per block, a float32 for 256 of them, and a table of 256: 65,536 weights have 1,024 blocks.
    second = 3 * (4 + 4 + 2 + 2 + 8 + 8 + 8)
    double = size(quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_use_double_quant=True)
    assert double == PLAIN + LINEAR // 2 + blocks + 4 * second + MATRICES * (64 + 1024)


def test_bitsandbytes_in_8_bits_has_a_float32_per_row() -> None:
    assert size(quant_method="bitsandbytes", load_in_8bit=True) == PLAIN + LINEAR + 4 * OUTPUTS + MATRICES


def test_mlx_packs_tables_too_and_single_modules_differ() -> None:
    # 4 bits and two bf16 per 64 weights: 4.5 bits each. Layer 0's down_proj in 8 bits: 8.5.
    every = LINEAR + 2 * TABLE
    config = CONFIG | {"quantization": {"group_size": 64, "bits": 4}}
    assert ffncalc.memory(ffncalc.load(config)).total == 2 * NORMS + every * 9 // 16
    config = CONFIG | {"quantization": {"group_size": 64, "bits": 4, "model.layers.0.mlp.down_proj": {"bits": 8}}}
    assert ffncalc.memory(ffncalc.load(config)).total == 2 * NORMS + every * 9 // 16 + 256 * 512 // 2


def test_a_table_without_a_method_is_said_to_be_read_as_that_of_mlx() -> None:
    table = {"group_size": 64, "bits": 4}
    guessed = ffncalc.memory(ffncalc.load(CONFIG | {"quantization_config": table}))
    named = ffncalc.memory(ffncalc.load(CONFIG | {"quantization": table}))
    assert guessed.notes == ("quantization_config names no quant_method: read as MLX stores weights",)
    assert named.notes == ()
    assert guessed.total == named.total


def test_mlx_calls_stacked_experts_otherwise() -> None:
    # 3 layers of 4 experts, 3 matrices of 128 × 256: those of layer 1 in mxfp4 (4.25 bits), the others in 8.5 bits.
    moe = CONFIG | {
        "model_type": "qwen3_moe",
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 128,
        "head_dim": 64,
    }
    own = {
        f"model.layers.1.mlp.switch_mlp.{name}": {"group_size": 32, "bits": 4, "mode": "mxfp4"}
        for name in ("gate_proj", "up_proj", "down_proj")
    }
    found = ffncalc.memory(ffncalc.load(moe | {"quantization": {"group_size": 64, "bits": 8} | own}))
    layer = 4 * 3 * 128 * 256
    assert found.by_category["ffn"] == 2 * layer * 17 // 16 + layer * 17 // 32


def test_experts_of_deepseek_v4_are_packed_by_themselves() -> None:
    model = ffncalc.load("deepseek-ai/DeepSeek-V4-Flash")
    experts = ffncalc.params(model).by_role["ffn.routed_expert"]
    found = ffncalc.memory(model)
    packed = sum(w.layers * w.stored for w in found.weights if w.format and w.format.bits == 4)
    assert packed == experts * 17 // 32  # 4 bits, and a scale byte per 32


def test_ternary_weights_are_four_in_a_byte_unless_made_so_while_running() -> None:
    assert size(quant_method="bitnet", quantization_mode="offline") == PLAIN + LINEAR // 4 + 2 * MATRICES
    assert size(quant_method="bitnet", quantization_mode="online") == PLAIN + 2 * LINEAR


def test_compressed_tensors_float_scales() -> None:
    weights = {"num_bits": 8, "type": "float", "symmetric": True}
    assert grouped("float-quantized", strategy="channel", **weights) == PLAIN + LINEAR + 2 * OUTPUTS
    assert grouped("naive-quantized", strategy="tensor", **weights) == PLAIN + LINEAR + 2 * MATRICES
    blocks = 3 * (4 + 4 + 2 + 2 + 8 + 8 + 8)
    block = grouped("float-quantized", strategy="block", block_structure=[128, 128], **weights)
    assert block == PLAIN + LINEAR + 2 * blocks


def test_compressed_tensors_packed_integers() -> None:
    groups = 3 * (768 * 2 + 1024 * 2 + 256 * 4)
    weights = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128}
    packed = PLAIN + LINEAR // 2 + 2 * groups + 16 * MATRICES  # and the shape, two int64
    assert grouped("pack-quantized", symmetric=True, **weights) == packed
    assert grouped("pack-quantized", symmetric=False, **weights) == packed + groups // 2
    assert grouped("pack-quantized", symmetric=True, actorder="group", **weights) == packed + 4 * INPUTS


def test_four_bit_floats_have_a_scale_byte_per_group() -> None:
    weights = {"num_bits": 4, "type": "float", "symmetric": True}
    nvfp4 = grouped("nvfp4-pack-quantized", strategy="tensor_group", group_size=16, **weights)
    assert nvfp4 == PLAIN + LINEAR // 2 + LINEAR // 16 + 4 * MATRICES
    mxfp4 = grouped("mxfp4-pack-quantized", strategy="group", group_size=32, **weights)
    assert mxfp4 == PLAIN + LINEAR // 2 + LINEAR // 32


def test_groups_that_name_modules_come_before_those_that_name_a_class() -> None:
    # ModelOpt: attention in fp8, everything else in nvfp4; two float32 scales each.
    groups = {
        "group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "float", "group_size": 16}},
        "group_1": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float"}},
    }
    found = size(quant_method="modelopt", config_groups=groups, ignore=["lm_head"], quant_algo="MIXED_PRECISION")
    assert found == PLAIN + ATTENTION + FFN // 2 + FFN // 16 + 8 * MATRICES


def test_the_cache_has_the_format_that_the_config_asks_for() -> None:
    quantization = {"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_scheme": {"num_bits": 8}}
    found = ffncalc.memory(ffncalc.load(CONFIG | {"quantization_config": quantization}), ctx=10)
    assert found.kv_dtype == "float8_e4m3fn"
    assert found.kv[0].bytes == 3 * 2 * 2 * 64 * 10


@pytest.mark.parametrize(
    "quantization",
    [
        {"quant_method": "exl2", "bits": 2.5},
        {
            "quant_method": "compressed-tensors",
            "format": "marlin-24",
            "config_groups": {"g": {"weights": {"num_bits": 4}}},
        },
        {"quant_method": "awq", "bits": 4, "version": "gemv"},
        {"quant_method": "gptq", "bits": "four"},
        {"quant_method": "bitsandbytes"},
        {"quant_method": "fp8", "weight_block_size": [128]},
        {"quant_method": "fp8", "weight_block_size": [0, 128]},
        {"quant_method": "gptq", "bits": 0},
        {"quant_method": "gptq", "bits": 4, "dynamic": {"+:.*down.*": {"bits": 8}}},
        {"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": None}}},
        {
            "quant_method": "compressed-tensors",
            "format": "pack-quantized",
            "config_groups": {"g": {"weights": {"num_bits": 4, "strategy": "group", "group_size": -1}}},
        },
        {"quant_method": "mlx", "bits": 4, "group_size": -1},
        {"quant_method": "mlx", "bits": 4},
        {"quant_method": "gptq", "bits": 4, "dynamic": "all"},
        {"quant_method": "gptq", "group_size": 128},
        "fp8",
    ],
    ids=str,
)
def test_a_layout_that_is_not_known_is_an_error(quantization: object) -> None:
    model = ffncalc.load(CONFIG | {"quantization_config": quantization})
    with pytest.raises(ConfigError):
        ffncalc.memory(model)
    assert ffncalc.memory(model, dtype="bfloat16").total == PLAIN + 2 * LINEAR
    assert ffncalc.params(model).total == LINEAR + 2 * TABLE + NORMS  # packing changes no parameter


@pytest.mark.parametrize(
    ("entry", "module", "named"),
    [
        ("model.layers.1", "model.layers.1.mlp.up_proj", True),
        ("model.layers.1", "model.layers.10.mlp.up_proj", False),
        ("lm_head", "lm_head", True),
        ("gate", "model.layers.3.mlp.gate", True),
        ("gate", "model.layers.3.mlp.gate_proj", False),
        ("model.layers.*.self_attn", "model.layers.12.self_attn.q_proj", True),
        ("model.layers.*.mlp.router", "model.layers.12.mlp.up_proj", False),
        ("model.layers.1.*", "model.layers.1.mlp.up_proj", True),
        ("model.layers.1.*", "model.layers.11.mlp.up_proj", False),
        ("re:.*down_proj$", "model.layers.0.mlp.down_proj", True),
        ("model.language_model.layers.0.self_attn*", "language_model.model.layers.0.self_attn.q_proj", True),
        ("model.vision_tower", "vision_tower.transformer.layers.0.attention.q_proj", True),
        ("re:[", "model.layers.0.mlp.down_proj", False),
    ],
)
def test_names_of_modules(entry: str, module: str, named: bool) -> None:
    assert (module in Names([entry])) is named


def test_whole_numbers_as_floats_are_whole() -> None:
    assert size(quant_method="gptq", bits=4.0, group_size=128.0) == size(quant_method="gptq", bits=4, group_size=128)


@pytest.mark.parametrize("value", [0, -2, 64.5, "128", True])
def test_a_group_that_cannot_be_is_not_taken_for_all(value: object) -> None:
    quantization = {"quant_method": "gptq", "bits": 4, "group_size": value}
    model = ffncalc.load(CONFIG | {"quantization_config": quantization})
    with pytest.raises(ConfigError, match=r"^quantization_config\.group_size: must be "):
        ffncalc.memory(model)
    with pytest.raises(ConfigError, match=r"^quantization_config\.group_size: must be "):
        block_of(model)
