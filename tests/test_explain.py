"""Derivations: whatever is shown adds up to what is counted."""

from __future__ import annotations

import re

import pytest

import ffncalc
from ffncalc.source import bundled

PLAIN = re.compile(r"[\d ()+*/-]|min|max|, ")


def worked(text: str) -> int | None:
    """The result of the arithmetic that a step shows; None where it names a rule of a family."""
    text = re.sub(r",(?=\d)", "", text).replace("×", "*").replace("−", "-").replace(" / ", " // ")
    return int(eval(text, {"min": min, "max": max})) if not PLAIN.sub("", text) else None


@pytest.mark.parametrize("name", [name for name, _ in bundled.entries()])
def test_every_sum_and_product_that_is_shown_is_right(name: str) -> None:
    model = ffncalc.load(name)
    counted, found = ffncalc.params(model), ffncalc.explain(model)
    totals = {
        step.name: step.result for chapter in found.chapters if chapter.title == "Totals" for step in chapter.steps
    }
    assert totals["total"] == counted.total
    assert totals["active"] == counted.active
    assert totals["active_matmul"] == counted.active_matmul
    categories = next(chapter for chapter in found.chapters if chapter.title == "Categories")
    assert [step.result for step in categories.steps] == [n for n in counted.by_category.values() if n]
    for step in (step for chapter in found.chapters for step in chapter.steps):
        if isinstance(step.result, int) and step.values:
            assert worked(step.values) in (step.result, None), step


def test_keys_are_those_of_the_file_and_defaults_are_told_apart() -> None:
    found = {key.key: (key.value, key.default) for key in ffncalc.explain(ffncalc.load("openai-community/gpt2")).keys}
    assert found["n_embd"] == (768, False)
    assert found["n_positions"] == (1024, False)
    gemma = {key.key: (key.value, key.default) for key in ffncalc.explain(ffncalc.load("google/gemma-2-9b")).keys}
    assert gemma["tie_word_embeddings"] == (True, True)
    assert gemma["head_dim"] == (256, False)


def test_a_class_default_that_a_number_rests_on_is_named() -> None:
    config = {
        "model_type": "mistral",
        "vocab_size": 10,
        "hidden_size": 64,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 16,
    }
    keys = {key.key: (key.value, key.default) for key in ffncalc.explain(ffncalc.load(config)).keys}
    assert keys["num_key_value_heads"] == (8, True)  # Mistral's class assumes 8, whatever the number of heads
    assert keys["hidden_size"] == (64, False)


def test_a_mixture_shows_what_one_token_uses() -> None:
    found = ffncalc.explain(ffncalc.load("deepseek-ai/DeepSeek-V3"))
    steps = [str(step) for chapter in found.chapters for step in chapter.steps]
    assert (
        "routed experts that one token uses per layer = 3 × hidden_size × moe_intermediate_size × num_experts_per_tok"
        " = 3 × 7168 × 2048 × 8 = 352,321,536"
    ) in steps
    assert ("active = total − routed experts not chosen = 671,026,404,352 − 633,474,121,728 = 37,552,282,624") in steps
    assert "learned buffers = 58 × n_routed_experts = 58 × 256 = 14,848" in steps


def test_arithmetic_is_read_as_it_is_shown() -> None:
    assert worked("2 × (4096 / 32) × 8 + 1,024 − 24") == 3048
    assert worked("min(1,024, 7) × 2") == 14
    assert worked("3 × rounded[0.5](4096)") is None
