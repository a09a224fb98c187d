"""Where attention overtakes the FFN: closed form against hand arithmetic and against trying every context."""

from __future__ import annotations

import random

import pytest

import ffncalc
from ffncalc.analysis.cost import Slope
from ffncalc.analysis.crossover import crossover, first_reaching
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
