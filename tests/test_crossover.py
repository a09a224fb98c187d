"""Where attention overtakes the FFN: closed form against hand arithmetic and against trying every context."""

from __future__ import annotations

import random
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.cost import Slope
from ffncalc.analysis.crossover import crossover, first_reaching
from ffncalc.analysis.flops import flops
from ffncalc.ir import Span

SPANS = ["full", "sliding", "top_k", "chunked"]


@pytest.mark.parametrize("seed", range(300))
def test_closed_form_equals_trying_every_context(seed: int) -> None:
    rng = random.Random(seed)
    chunk = rng.randint(1, 12)
    slopes = []
    for kind in rng.sample(SPANS, rng.randint(1, 4)):
        size = chunk if kind == "chunked" else 0 if kind == "full" else rng.randint(1, 30)
        slopes.append(Slope(per_key=rng.randint(1, 9), span=Span(kind, size), causal=True))
    target = rng.randint(1, 400)
    tried = next(
        (n for n in range(1, 600) if sum(s.per_key * s.span.keys(n) for s in slopes) >= target),
        None,
    )
    assert first_reaching(slopes, target) == tried


def test_llama_3_1_8b_crosses_at_21504() -> None:
    # FFN: 2 × 32 × 3 × 4096 × 14336 FLOPs; core: 32 × 4 × 32 × 128 per key; their quotient is 21,504 exactly.
    # Everything else: 2 × (7,504,658,432) FLOPs; / 524,288 = 28,627.999…, so 28,628.
    found = crossover(ffncalc.load("meta-llama/Llama-3.1-8B"))
    assert (found.ctx, found.core_vs_rest, found.absorbed, found.within_max) == (21_504, 28_628, None, True)


def test_gemma_2_saturates_half_its_layers_before_it_crosses() -> None:
    # 21 of 42 layers see 4,096 keys. FFN 2 × 42 × 3 × 3584 × 14336; core 4 × 16 × 256 per key and layer.
    found = crossover(ffncalc.load("google/gemma-2-9b"))
    assert (found.ctx, found.within_max) == (33_536, False)


def test_latent_attention_crosses_earlier_when_absorbed() -> None:
    # Core per key and layer: 2 × 128 × (192 + 128) materialised, 2 × 128 × (2 × 512 + 64) absorbed.
    found = crossover(ffncalc.load("deepseek-ai/DeepSeek-V3"))
    assert (found.ctx, found.absorbed) == (9_677, 2_847)


def test_windows_everywhere_may_never_cross() -> None:
    config = {
        "model_type": "mistral",
        "vocab_size": 100,
        "hidden_size": 64,
        "intermediate_size": 176,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "sliding_window": 8,
    }
    found = crossover(ffncalc.load(config))
    assert (found.ctx, found.within_max) == (None, None)
    assert found.saturates == 2 * 4 * 64 * 8  # layers × 4 × heads × head_dim × window
    assert "never" in found.reason


def test_a_dense_kernel_crosses_where_every_layer_sees_every_key() -> None:
    # Gemma 2: 42 layers × 4 × 16 × 256 = 688,128 per key; FFN 2 × 42 × 3 × 3584 × 14336; their quotient is 18,816.
    found = flops(ffncalc.load("google/gemma-2-9b"), full=True, ctx=[18_815, 18_816])
    assert (found.crossover.ctx, found.crossover.slopes[0].layers) == (18_816, 42)
    assert [point.by_category["attention_core"] >= point.by_category["ffn"] for point in found.points] == [False, True]


def test_a_dense_kernel_still_works_on_compressed_keys_alone() -> None:
    # 7 FLOPs for each of 1/4 of the keys and 3 for each key: at 40, 7 × 10 + 3 × 40 = 190; at 39, 7 × 9 + 117 = 180.
    slopes = [Slope(per_key=per_key, span=Span("full", 0, stride), causal=True) for per_key, stride in ((7, 4), (3, 1))]
    assert (first_reaching(slopes, 180), first_reaching(slopes, 181), first_reaching(slopes, 190)) == (39, 40, 40)


@pytest.mark.parametrize(("source", "ctx"), [(50, 3_022), (1, 3_071), (3_071, 1), (3_072, 1), (9_999, 1)])
def test_a_source_of_a_fixed_length_costs_the_same_at_every_context(source: int, ctx: int) -> None:
    # T5-base: FFN 12 × 4 × 768 × 3072; 12 × 4 × 768 FLOPs for each key, its own or the source's: 3,072 keys in all.
    found = flops(ffncalc.load("google-t5/t5-base"), encoder_ctx=source, ctx=ctx)
    assert found.crossover.ctx == ctx
    assert f"cross attention of 12 layers sees {source:,} tokens of the source" in found.crossover.reason
    (point,) = found.points
    assert point.by_category["attention_core"] == 36_864 * (ctx + source) >= point.by_category["ffn"] == 113_246_208


def test_a_source_as_long_as_the_context_grows_with_it() -> None:
    assert flops(ffncalc.load("google-t5/t5-base")).crossover.ctx == 1_536  # half of 3,072


def test_the_latent_form_is_the_one_that_was_asked_for() -> None:
    # Core per key: 61 × 2 × 128 × 320 = 4,997,120 materialised, 61 × 2 × 128 × 1,088 = 16,990,208 absorbed.
    # FFN 48,356,130,816; everything else 73,249,193,984, which 4,312 keys of the absorbed form reach, 4,311 do not.
    found = flops(ffncalc.load("deepseek-ai/DeepSeek-V3"), mla="absorbed").crossover
    assert (found.ctx, found.materialized, found.absorbed, found.core_vs_rest) == (2_847, 9_677, 2_847, 4_312)
    assert "16,990,208 FLOPs per key" in found.reason


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["google/gemma-2-9b", "google-t5/t5-small", "deepseek-ai/DeepSeek-V3.2"])
def test_the_crossover_is_where_the_points_say(name: str, seed: int) -> None:
    rng = random.Random(seed)
    options: dict[str, Any] = {"full": rng.random() < 0.5, "mla": rng.choice(["absorbed", "materialized"])}
    options["encoder_ctx"] = rng.choice([None, rng.randint(1, 5_000)])
    model = ffncalc.load(name)
    at = flops(model, **options).crossover.ctx
    assert at is not None
    for point in flops(model, ctx=[max(at - 1, 1), at], **options).points:
        crossed = point.by_category["attention_core"] >= point.by_category["ffn"]
        assert crossed == (point.ctx >= at)


@pytest.mark.parametrize(("name", "count"), [("kajuma/DiffLlama-1B", 16), ("meituan-longcat/LongCat-Flash-Chat", 28)])
def test_layers_that_attend_twice_are_counted_once(name: str, count: int) -> None:
    assert [s.layers for s in ffncalc.crossover(ffncalc.load(name)).slopes] == [count]
