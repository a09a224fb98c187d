"""Derivations: whatever is shown adds up to what is counted."""

from __future__ import annotations

import inspect
import re

import pytest

import ffncalc
from ffncalc.cli.commands import COMMANDS, function
from ffncalc.source import bundled
from tests.command import DEEPSEEK, LLAMA, Here
from tests.test_json_contract import EXPLAIN, check, models

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


EXPLAINED = {  # command: a step that is worked out by hand
    "params": ("FFN per layer", 3 * 7168 * 18_432),
    "ffn": ("layers 0–2: FFN parameters of one layer", 3 * 7168 * 18_432),
    "moe": ("one expert", 3 * 7168 * 2048),
    "lora": ("model.layers.{layer}.mlp.down_proj", 3 * 16 * (7168 + 18_432)),
    "flops": ("FFN per layer", 2 * 3 * 7168 * 18_432),
    "crossover": ("FFN per layer", 2 * 3 * 7168 * 18_432),
    "memory": ("per key, full", 61 * (512 + 64)),
}


@pytest.mark.parametrize("command", EXPLAINED)
def test_every_command_explains_itself_alike(run: Here, command: str) -> None:
    for ref in (DEEPSEEK, LLAMA, "state-spaces/mamba-130m-hf"):
        (entry,) = models(run, command, ref, "--explain")
        check(entry, {"explain": EXPLAIN})
        assert set(entry["explain"]) == {"keys", "chapters"}
    (entry,) = models(run, command, DEEPSEEK, "--explain")
    name, result = EXPLAINED[command]
    steps = [step for chapter in entry["explain"]["chapters"] for step in chapter["steps"]]
    assert result in [step["result"] for step in steps if step["name"] == name]
    keys = {key["key"]: (key["value"], key["source"]) for key in entry["explain"]["keys"]}
    named = "kv_lora_rank" if command == "memory" else "hidden_size"
    assert keys[named] == ({"kv_lora_rank": 512, "hidden_size": 7168}[named], "config")
    page = run(command, DEEPSEEK, "--explain").out
    assert "\nRead from the config\n  " in page
    assert f"\n  {named} = {keys[named][0]}\n" in page


def test_the_commands_that_explain_themselves_are_those() -> None:
    having = {name for name in COMMANDS if "explain" in inspect.signature(function(name)).parameters}
    assert having == {*EXPLAINED, "width"}  # there, --explain asks for recipes


def test_a_worked_example_leaves_room_for_the_derivation(run: Here) -> None:
    out = run("ffn", LLAMA, "--worked", "--explain").out
    assert "  layers 0–31, FFN: width = intermediate_size = 14,336\n" in out
