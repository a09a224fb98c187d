"""FLOPs per token, worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

import ffncalc
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
