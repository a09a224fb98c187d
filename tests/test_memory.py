"""Bytes, against published file sizes and arithmetic by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError, UsageError

LLAMA = "meta-llama/Llama-3.1-8B"
SMALL: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


# `total_size` of the published safetensors index: the bytes of all tensors.
@pytest.mark.parametrize(
    ("name", "size"),
    [
        (LLAMA, 16_060_522_496),
        ("openai/gpt-oss-20b", 13_761_264_768),
        ("openai/gpt-oss-120b", 65_248_815_744),
    ],
)
def test_weights_take_what_the_published_files_hold(name: str, size: int) -> None:
    assert ffncalc.memory(ffncalc.load(name)).total == size


def test_packed_weights_of_mlx_take_what_the_published_files_hold() -> None:
    # The index of Qwen3-14B-MLX-4bit says 8,307,783,680.
    config = {
        "model_type": "qwen3",
        "vocab_size": 151_936,
        "hidden_size": 5120,
        "intermediate_size": 17_408,
        "num_hidden_layers": 40,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "quantization": {"group_size": 64, "bits": 4},
    }
    assert ffncalc.memory(ffncalc.load(config)).total == 8_307_783_680


def test_block_scales_and_mtp_of_deepseek_v3() -> None:
    # Its 163 published files have 688,586,727,753 bytes; a header of about 130 bytes names each of 91,991 tensors.
    found = ffncalc.memory(ffncalc.load("deepseek-ai/DeepSeek-V3"))
    headers = 688_586_727_753 - (found.total + found.buffers + found.mtp)
    assert 100 < headers / 91_991 < 160


def test_ffn_of_llama_3_1_8b_in_bf16() -> None:
    found = ffncalc.memory(ffncalc.load(LLAMA), ctx=1)
    assert found.by_category["ffn"] == 2 * 5_637_144_576  # 11.27 GB
    assert found.read is not None
    assert found.read[0].by_category["ffn"] == 11_274_289_152


def test_dtype_comes_from_the_config_or_is_said_to_be_assumed() -> None:
    stated = ffncalc.memory(ffncalc.load(SMALL | {"torch_dtype": "float32"}))
    nested = ffncalc.memory(ffncalc.load(SMALL | {"dtype": "float16"}))
    silent = ffncalc.memory(ffncalc.load(SMALL))
    assert (stated.dtype, stated.dtype_from) == ("float32", "torch_dtype")
    assert (nested.dtype, nested.dtype_from) == ("float16", "dtype")
    assert (silent.dtype, silent.dtype_from) == ("bfloat16", "assumed")
    assert stated.total == 2 * silent.total


def test_dtype_of_a_composite_may_stand_in_its_text_config() -> None:
    text = SMALL | {"torch_dtype": "float32"}
    vision = {"model_type": "clip_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
    config = {"model_type": "llava", "text_config": text, "vision_config": vision | {"num_attention_heads": 2}}
    assert ffncalc.memory(ffncalc.load(config)).dtype_from == "text_config.torch_dtype"


def test_a_given_dtype_counts_all_weights_plainly() -> None:
    model = ffncalc.load("openai/gpt-oss-20b")
    assert ffncalc.memory(model, dtype="bf16").total == 2 * ffncalc.params(model).total
    assert ffncalc.memory(model, dtype="int4").total == Fraction(ffncalc.params(model).total, 2)


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(UsageError, match="no number format"):
        ffncalc.memory(ffncalc.load(SMALL), dtype="bf17")
    with pytest.raises(ConfigError, match=r"torch_dtype: 'float17'"):
        ffncalc.memory(ffncalc.load(SMALL | {"torch_dtype": "float17"}))


def test_cache_of_grouped_heads() -> None:
    # Llama-3.1-8B: 32 layers × (k and v) × 8 heads × 128 × 2 bytes.
    (point,) = ffncalc.memory(ffncalc.load(LLAMA), ctx=1000, batch=3).kv
    assert point.bytes == point.full_length == 3 * 1000 * 32 * 2 * 8 * 128 * 2


def test_cache_of_latent_attention_is_the_latent_once() -> None:
    # DeepSeek-V3: 61 layers × (512 + 64) elements × 2 bytes, whatever the 128 heads.
    assert ffncalc.memory(ffncalc.load("deepseek-ai/DeepSeek-V3")).kv_bytes(61 * 576) == 70_272
    (point,) = ffncalc.memory(ffncalc.load("deepseek-ai/DeepSeek-V3"), ctx=100).kv
    assert point.bytes == 7_027_200


def test_a_window_bounds_what_is_needed_and_not_what_an_engine_may_allocate() -> None:
    # gpt-oss-20b: 12 of 24 layers see 128 keys; 8 heads of 64, keys and values, 2 bytes.
    (point,) = ffncalc.memory(ffncalc.load("openai/gpt-oss-20b"), ctx=1000).kv
    assert point.bytes == 2 * 8 * 64 * 2 * (12 * 128 + 12 * 1000)
    assert point.full_length == 2 * 8 * 64 * 2 * 24 * 1000


def test_a_window_that_is_switched_off_bounds_nothing() -> None:
    config = SMALL | {"model_type": "qwen2", "sliding_window": 8, "use_sliding_window": False, "max_window_layers": 1}
    (point,) = ffncalc.memory(ffncalc.load(config), ctx=50).kv
    assert point.bytes == 3 * 2 * 2 * 16 * 50 * 2


def test_layers_that_share_keys_keep_none() -> None:
    # gemma-3n-E2B: 10 of 30 layers use those of others; of the 20, every fifth is full, the others see 512 keys.
    (point,) = ffncalc.memory(ffncalc.load("google/gemma-3n-E2B-it"), ctx=4096).kv
    assert point.bytes == 2 * 2 * 256 * 2 * (16 * 512 + 4 * 4096)


def test_a_recurrent_state_does_not_grow() -> None:
    # mamba-130m: 24 layers, 1536 channels × (16 states + 3 inputs of the convolution); float32 as its config says.
    found = ffncalc.memory(ffncalc.load("state-spaces/mamba-130m-hf"), ctx=(1, 100_000))
    size = {"float32": 4, "bfloat16": 2}[found.kv_dtype]
    assert [point.bytes for point in found.kv] == [24 * 1536 * 19 * size] * 2
    assert found.to_dict()["kv_bytes_per_token"] == 0


def test_cross_attention_keeps_the_source() -> None:
    # t5-base: 12 decoder layers, 12 heads of 64, keys and values; 7 own tokens and 50 source tokens.
    found = ffncalc.memory(ffncalc.load("google-t5/t5-base"), ctx=7, encoder_ctx=50, kv_dtype="fp16")
    assert found.kv[0].bytes == 12 * 2 * 12 * 64 * (7 + 50) * 2


def test_an_encoder_keeps_and_decodes_nothing() -> None:
    found = ffncalc.memory(ffncalc.load("google-bert/bert-base-uncased"))
    assert (found.read, {int(point.bytes) for point in found.kv}) == (None, {0})


def test_sparse_attention_keeps_every_key_and_reads_the_best() -> None:
    # DeepSeek-V3.2: a latent of 576 and an index key of 128 per layer and token; 2,048 latents are read.
    found = ffncalc.memory(ffncalc.load("deepseek-ai/DeepSeek-V3.2"), ctx=10_000)
    assert found.read is not None
    assert found.kv[0].bytes == 61 * (576 + 128) * 10_000 * 2
    assert found.read[0].by_category["kv_cache"] == 61 * (576 * 2048 + 128 * 10_000) * 2


def test_a_step_reads_weights_once_and_caches_for_each_sequence() -> None:
    # 3 layers: q 64 × 64, k and v 64 × 32, o 64 × 64, FFN 3 × 64 × 256; head 100 × 64; one embedding row each.
    one, four = (ffncalc.memory(ffncalc.load(SMALL), ctx=10, batch=n).read for n in (1, 4))
    assert one is not None
    assert four is not None
    assert one[0].by_category["attention"] == four[0].by_category["attention"] == 3 * 12_288 * 2
    assert one[0].by_category["ffn"] == four[0].by_category["ffn"] == 3 * 3 * 64 * 256 * 2
    assert one[0].by_category["head"] == four[0].by_category["head"] == 100 * 64 * 2
    assert (one[0].by_category["embedding"], four[0].by_category["embedding"]) == (128, 512)
    assert (one[0].by_category["kv_cache"], four[0].by_category["kv_cache"]) == (3 * 64 * 10 * 2, 4 * 3 * 64 * 10 * 2)


def test_a_tied_head_is_stored_once_and_read() -> None:
    tied = ffncalc.memory(ffncalc.load(SMALL | {"tie_word_embeddings": True}), ctx=1)
    assert tied.read is not None
    assert (tied.by_category["head"], tied.read[0].by_category["head"]) == (0, 100 * 64 * 2)


def test_experts_that_a_batch_reads_are_an_expectation() -> None:
    # Mixtral: 2 of 8; two tokens choose 8 × (1 − (3/4)²) = 3.5 different ones on average.
    model = ffncalc.load("mistralai/Mixtral-8x7B-v0.1")
    one, two = (ffncalc.memory(model, ctx=1, batch=n) for n in (1, 2))
    assert (one.experts_read, two.experts_read) == (Fraction(2), Fraction(7, 2))
    assert one.read is not None
    assert two.read is not None
    expert = 32 * 3 * 4096 * 14_336 * 2
    assert one.read[0].by_category["ffn"] == 2 * expert
    assert two.read[0].by_category["ffn"] == Fraction(7, 2) * expert


@pytest.mark.parametrize("arguments", [{"batch": 0}, {"ctx": 0}, {"encoder_ctx": 0}])
def test_lengths_below_one_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        ffncalc.memory(ffncalc.load(SMALL), **arguments)  # type: ignore[arg-type]


def test_a_learned_number_that_is_no_table_is_read_whole() -> None:
    # CLIP's temperature is one number; its published parameters are 427,616,513, in float32.
    found = ffncalc.memory(ffncalc.load("openai/clip-vit-large-patch14"), ctx=1)
    assert found.total == 4 * 427_616_513


@pytest.mark.parametrize("batch", [4096, 4097, 10**6, 10**18])
def test_a_large_batch_meets_all_experts_at_once(batch: int) -> None:
    found = ffncalc.memory(ffncalc.load("openai/gpt-oss-20b"), ctx=1, batch=batch).experts_read
    assert found is not None
    assert float(found) == pytest.approx(32, rel=1e-12)  # (28 / 32)^4096 is below 10^-237


def test_the_expectation_for_a_large_batch_is_that_of_its_formula() -> None:
    raw = SMALL | {
        "model_type": "mixtral",
        "num_key_value_heads": 4,
        "num_local_experts": 100_000,
        "num_experts_per_tok": 1,
    }
    found = ffncalc.memory(ffncalc.load(raw), ctx=1, batch=5000).experts_read
    assert found is not None
    assert float(found) == pytest.approx(100_000 * (1 - 0.99999**5000), rel=1e-9)
