"""FLOPs per token, worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

import ffncalc
import ffncalc.ir
from ffncalc.analysis.flops import flops
from ffncalc.errors import UsageError
from ffncalc.ir import Span


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("span", [Span(), Span("sliding", 1), Span("sliding", 5), Span("sliding", 99)], ids=str)
def test_prompt_total_is_the_sum_over_its_positions(span: Span, causal: bool) -> None:
    side = (span.size - 1) // 2 if span.size else 1000
    for n in (1, 2, 4, 5, 6, 17):
        causal_keys = sum(span.keys(t) for t in range(1, n + 1))
        both_sides = sum(min(t - 1, side) + 1 + min(n - t, side) for t in range(1, n + 1))
        assert span.total(n, causal=causal) == (causal_keys if causal else both_sides)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 20])
def test_chunked_prompt_starts_again_at_each_chunk(n: int) -> None:
    assert Span("chunked", 8).total(n) == sum((t - 1) % 8 + 1 for t in range(1, n + 1))


# 2 × 7,504,658,432 weights that multiply + 32 layers × 4 × 32 heads × 128 × keys
@pytest.mark.parametrize(
    ("ctx", "total"),
    [(1, 15_009_841_152), (8192, 19_304_284_160), (131_072, 83_728_793_600)],
)
def test_llama_3_1_8b_decodes_at(ctx: int, total: int) -> None:
    (point,) = flops(ffncalc.load("meta-llama/Llama-3.1-8B"), ctx=ctx).points
    assert point.total == total


@pytest.mark.parametrize(("ctx", "share"), [(1, 75.1), (8192, 58.4), (128_000, 13.7), (131_072, 13.5)])
def test_ffn_share_of_llama_3_1_8b(ctx: int, share: float) -> None:
    (point,) = flops(ffncalc.load("meta-llama/Llama-3.1-8B"), ctx=ctx).points
    assert round(100 * point.ffn_share, 1) == share


def test_prefill_is_the_mean_over_the_prompt() -> None:
    model = ffncalc.load("meta-llama/Llama-3.1-8B")
    (mean,) = flops(model, ctx=8192, phase="prefill").points
    assert mean.total == 2 * 7_504_658_432 + Fraction(32 * 4 * 32 * 128 * (8192 + 1), 2)
    (train,) = flops(model, ctx=8192, phase="train").points
    assert train.total == 3 * mean.total


def test_full_counts_every_key_in_windowed_layers_too() -> None:
    model = ffncalc.load("google/gemma-2-9b")
    (windowed,) = flops(model, ctx=8192).points
    (full,) = flops(model, ctx=8192, full=True).points
    assert full.by_category["attention_core"] - windowed.by_category["attention_core"] == 21 * 4 * 16 * 256 * 4096


@pytest.mark.parametrize(
    ("name", "ctx", "phase", "billions"),
    [
        ("deepseek-ai/DeepSeek-V3", 1, "decode", 73.2542),
        ("deepseek-ai/DeepSeek-V3", 131_072, "decode", 728.2317),
        ("deepseek-ai/DeepSeek-V3", 8192, "prefill", 93.7199),
        ("google/gemma-2-9b", 8192, "decode", 22.7101),
        ("google/gemma-2-9b", 131_072, "decode", 64.9886),
        ("google/gemma-2-9b", 8192, "prefill", 20.9487),
        ("google/gemma-2-9b", 131_072, "prefill", 42.4182),
    ],
)
def test_flops_per_token(name: str, ctx: int, phase: str, billions: float) -> None:
    (point,) = flops(ffncalc.load(name), ctx=ctx, phase=phase).points
    assert round(float(point.total) / 1e9, 4) == billions


def test_a_context_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        flops(ffncalc.load("openai-community/gpt2"), ctx=0)


def small(**changes: object) -> ffncalc.ir.Model:
    """Two layers of width 48: 6 heads of 8 on 2 key/value heads, an FFN of 3 × 48 × 100, 500 words."""
    config: dict[str, object] = {
        "model_type": "llama",
        "vocab_size": 500,
        "hidden_size": 48,
        "intermediate_size": 100,
        "num_hidden_layers": 2,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "tie_word_embeddings": False,
    }
    return ffncalc.load(config | changes)


def test_scores_cost_what_query_heads_say_whatever_the_key_heads() -> None:
    for kv_heads in (1, 2, 6):
        (point,) = flops(small(num_key_value_heads=kv_heads), ctx=10).points
        assert point.by_category["attention_core"] == 2 * 4 * 6 * 8 * 10


def test_a_tied_head_computes() -> None:
    (own,), (tied,) = (flops(small(tie_word_embeddings=tie), ctx=10).points for tie in (False, True))
    assert own.by_category["head"] == tied.by_category["head"] == 2 * 500 * 48
    assert own.total == tied.total


def test_share_of_the_ffn_is_out_of_everything() -> None:
    # FFN 2 × 2 × 14,400; projections 2 × 2 × (2 × 2,304 + 2 × 768); head 2 × 24,000; core 2 × 192 × 10.
    (point,) = flops(small(), ctx=10).points
    assert point.ffn_share == 57_600 / (57_600 + 24_576 + 48_000 + 3_840)


def test_a_missing_pattern_is_that_of_the_class() -> None:
    # Gemma 3 without layer_types: every sixth layer is full, the others see 10 keys. Prompt of 30: 465 and 255 pairs.
    model = ffncalc.load(
        {
            "model_type": "gemma3_text",
            "vocab_size": 500,
            "hidden_size": 48,
            "intermediate_size": 100,
            "num_hidden_layers": 7,
            "num_attention_heads": 6,
            "num_key_value_heads": 2,
            "head_dim": 8,
            "sliding_window": 10,
        }
    )
    (prompt,) = flops(model, ctx=30, phase="prefill").points
    assert prompt.by_category["attention_core"] * 30 == 4 * 6 * 8 * (465 + 6 * 255)
    assert ffncalc.memory(model, ctx=30, kv_dtype="int8").kv[0].bytes == 2 * 2 * 8 * (30 + 6 * 10)
    assert ffncalc.memory(model, ctx=4, kv_dtype="int8").kv[0].bytes == 2 * 2 * 8 * 7 * 4


def test_a_window_that_is_switched_off_is_off() -> None:
    model = small(model_type="qwen2", sliding_window=8, use_sliding_window=False, max_window_layers=1)
    (point,) = flops(model, ctx=100).points
    assert point.by_category["attention_core"] == 2 * 4 * 6 * 8 * 100


def test_sparse_attention_sees_the_best_keys_and_its_indexer_all() -> None:
    # DeepSeek-V3.2: 61 layers; 2 × 128 × (192 + 128) FLOPs for each of 2,048 keys, 2 × 64 × (128 + 1) for each key.
    (point,) = flops(ffncalc.load("deepseek-ai/DeepSeek-V3.2"), ctx=100_000).points
    assert point.by_category["attention_core"] == 61 * (2 * 128 * 320 * 2048 + 2 * 64 * 129 * 100_000)


def test_layers_that_share_weights_compute_each_time() -> None:
    # ALBERT base: one layer of 4 × 768² + 2 × 768 × 3072 weights, run twelve times.
    (point,) = flops(ffncalc.load("albert/albert-base-v2"), ctx=100).points
    assert point.by_category["ffn"] == 12 * 2 * 2 * 768 * 3072
    assert point.by_category["attention_projections"] == 12 * 2 * 4 * 768 * 768
    assert point.by_category["attention_core"] == 12 * 4 * 768 * 100


def test_a_pooler_costs_a_token_nothing() -> None:
    bare = flops(ffncalc.load("BAAI/bge-base-en-v1.5"), ctx=10).points[0]
    assert bare.by_category["other"] == 0


@pytest.mark.parametrize(("argument", "value"), [("phase", "dream"), ("mla", "half")])
def test_unknown_conventions_are_refused(argument: str, value: str) -> None:
    with pytest.raises(UsageError, match="must be one of"):
        flops(small(), **{argument: value})  # type: ignore[arg-type]
