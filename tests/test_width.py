"""ffncalc width: forwards, backwards, and to meet a target."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.width import recipes, width
from ffncalc.errors import UsageError
from ffncalc.inverse import solve, target
from ffncalc.inverse.depth import continued
from tests.command import LLAMA, Here


class TestForward:
    """The known widths: Llama 1 and 2, 3, 3-70B, GPT-2."""

    @pytest.mark.parametrize(
        ("options", "chain"),
        [
            ({"hidden_size": 4096, "multiplier": "1.3", "multiple_of": 1024}, [16384, 10922, 14198, 14336]),
            ({"hidden_size": 4096, "multiple_of": 256}, [16384, 10922, 11008]),
            ({"hidden_size": 8192, "multiplier": "1.3", "multiple_of": 4096}, [32768, 21845, 28398, 28672]),
            ({"hidden_size": 768, "gated": False}, [3072]),
            ({"hidden_size": 3584, "ratio": "4"}, [14336]),
        ],
    )
    def test_chains(self, options: dict[str, Any], chain: list[int]) -> None:
        assert [step.width for step in width(**options).steps] == chain

    def test_the_chain_is_printed_with_a_word_for_each_step(self, run: Here) -> None:
        code, out, err = run("width", "4096", "--gated", "--multiplier", "1.3", "--multiple-of", "1024")
        assert (code, err) == (0, "")
        assert "16384 → 10922 → 14198 → 14336" in out
        for word in ("four times", "two thirds", "multiplier", "rounded up"):
            assert word in out
        assert "176,160,768" in out

    def test_json_has_the_steps_and_no_models(self, run: Here) -> None:
        data = json.loads(run("width", "768", "--ungated", "--format", "json").out)
        assert data["schema_version"] == 1
        assert data["width"]["mode"] == "forward"
        assert (data["width"]["result"], data["width"]["params"]) == (3072, 2 * 768 * 3072)
        assert data["width"]["parameter_equivalent"] == 1

    @pytest.mark.parametrize(
        "args",
        [
            ("width", "4096", "--multiplier", "0"),
            ("width", "4096", "--multiplier", "x"),
            ("width", "4096", "--multiple-of", "0"),
            ("width", "0"),
            ("width", "4096", "8192"),
            ("width", "4096", LLAMA),
            ("width", LLAMA, "4096"),
            ("width", "4096", "--explain"),
            ("width", "4096", "--target-params", "8B"),
            ("width", "4096", "--vary", "num_hidden_layers"),
            ("width", LLAMA, "--multiplier", "1.3"),
            ("width", LLAMA, "--multiple-of", "256"),
            ("width", LLAMA, "--target-params", "8B", "--target-active", "3B"),
            ("width", LLAMA, "--target-ffn-share", "60%"),
            ("width", LLAMA, "--target-ffn-share", "160%@8k"),
        ],
    )
    def test_what_makes_no_sense_is_an_error(self, run: Here, args: tuple[str, ...]) -> None:
        code, out, err = run(*args)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")


class TestBackwards:
    def test_llama_3_has_the_plain_ratio_and_the_rule_of_its_code(self) -> None:
        first, second, *_ = recipes(4096, 14336)
        assert (first.ratio, first.multiplier, first.multiples) == (Fraction(7, 2), None, ())
        assert (second.ratio, second.multiplier) == (None, Fraction(13, 10))
        assert 1024 in second.multiples

    @pytest.mark.parametrize(
        ("hidden_size", "hidden", "gated", "multiple"),
        [(4096, 11008, True, 256), (5120, 13824, True, 256), (768, 3072, False, None)],
    )
    def test_the_simplest_recipe_is_the_published_one(
        self, hidden_size: int, hidden: int, gated: bool, multiple: int | None
    ) -> None:
        first = recipes(hidden_size, hidden, gated=gated)[0]
        assert (first.ratio, first.multiplier) == (None, None)
        assert multiple in first.multiples if multiple else first.multiples == ()

    @pytest.mark.parametrize(("hidden_size", "hidden"), [(4096, 14336), (3584, 18944), (7168, 2048), (5120, 27648)])
    def test_every_recipe_gives_the_width_when_it_is_followed(self, hidden_size: int, hidden: int) -> None:
        found = recipes(hidden_size, hidden)
        assert found
        for each in found:
            for multiple in each.multiples or (1,):
                way = width(hidden_size, ratio=each.ratio, multiplier=each.multiplier, multiple_of=multiple)
                assert way.result == hidden

    def test_a_width_without_a_recipe_says_so(self, run: Here) -> None:
        assert recipes(4096, 14337) == ()
        out = run("width", LLAMA, "--explain", "--set", "intermediate_size=14337").out
        assert "none: no ratio in eighths" in out

    def test_each_width_of_a_model_is_explained(self, run: Here) -> None:
        data = json.loads(run("width", "--explain", "deepseek-ai/DeepSeek-V3", "--format", "json").out)
        (entry,) = data["models"]
        assert [(w["kind"], w["hidden"]) for w in entry["width"]["widths"]] == [
            *(("dense", 18432), ("routed_expert", 2048), ("shared_expert", 2048))
        ]


CASES = [
    (LLAMA, "params", "8B", None),
    ("openai-community/gpt2", "params", "150M", None),
    ("google/gemma-2-9b", "crossover", "32k", None),
    ("deepseek-ai/DeepSeek-V3", "active", "40B", None),
    ("openai/gpt-oss-20b", "ffn_share", "40%@32k", None),
    ("LiquidAI/LFM2-1.2B", "params", "2B", None),
    ("facebook/bart-base", "params", "200M", None),
    ("google-t5/t5-small", "params", "80M", None),
    ("google/gemma-3n-E4B-it", "active", "9B", None),
    ("databricks/dbrx-base", "active", "30B", None),
    ("Qwen/Qwen3-30B-A3B", "active", "2.5B", "num_experts_per_tok"),
    ("Qwen/Qwen3-30B-A3B", "params", "60B", "num_experts"),
    (LLAMA, "params", "10B", "num_hidden_layers"),
    ("openai/gpt-oss-20b", "params", "30B", "num_hidden_layers"),
    ("openai-community/gpt2", "params", "200M", "n_layer"),
]


class TestTargets:
    @pytest.mark.parametrize(("ref", "quantity", "text", "vary"), CASES)
    def test_the_forward_command_confirms_the_answer_and_its_neighbours(
        self, run: Here, ref: str, quantity: str, text: str, vary: str | None
    ) -> None:
        goal = target(quantity, text)
        found = solve(ref, goal, vary=vary)
        assert value_of(run, ref, found.assignments, quantity, goal.ctx) == float(found.answer.value)
        assert found.answer.field_value % found.multiple_of == 0
        gap = abs(float(found.answer.value) - float(goal.value))
        for other in (found.below, found.above):
            if other is not None:
                assert abs(float(other.value) - float(goal.value)) >= gap
        sides = [c.value for c in (found.below, found.answer, found.above) if c is not None]
        assert min(sides) <= goal.value <= max(sides)

    def test_the_published_width_meets_the_published_count(self) -> None:
        found = solve(LLAMA, target("params", "8_030_261_248"))
        assert (found.fields, found.answer.field_value, found.multiple_of) == (("intermediate_size",), 14336, 128)
        assert found.answer.value == 8_030_261_248

    def test_the_nearest_multiple_is_worked_out_by_hand(self) -> None:
        # a step of 128 is 32 × 3 × 4096 × 128 = 50,331,648; 8 B lies 30,261,248 below Llama, nearer to one step down
        found = solve(LLAMA, target("params", "8B"))
        assert (found.answer.field_value, found.answer.value) == (14208, 8_030_261_248 - 50_331_648)

    def test_multiples_can_be_chosen(self) -> None:
        assert solve(LLAMA, target("params", "8B"), multiple_of=1).answer.field_value == 14336 - 77

    def test_the_share_is_that_of_flops(self, run: Here) -> None:
        found = solve(LLAMA, target("ffn_share", "60%@8k"), multiple_of=1)
        share = value_of(run, LLAMA, found.assignments, "ffn_share", 8000)
        assert share == pytest.approx(0.6, abs=1e-4)

    @pytest.mark.parametrize(
        ("ref", "quantity", "text", "vary", "reason"),
        [
            (LLAMA, "params", "1M", None, "still above"),
            (LLAMA, "active", "3B", "num_experts_per_tok", "no such field"),
            (LLAMA, "params", "9B", "sliding_window", "does not change the parameters"),
            ("state-spaces/mamba-130m-hf", "params", "1B", None, "no layer of this model has an FFN"),
            ("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "params", "40B", None, "no single field"),
            ("bigscience/bloom-560m", "params", "1B", None, "most are 4 × hidden_size = 4,096"),
            ("Qwen/Qwen3-30B-A3B", "active", "60B", "num_experts_per_tok", "with 128, the largest that is valid"),
        ],
    )
    def test_an_unreachable_target_says_why(
        self, ref: str, quantity: str, text: str, vary: str | None, reason: str
    ) -> None:
        with pytest.raises(UsageError, match=reason):
            solve(ref, target(quantity, text), vary=vary)

    def test_lists_of_one_entry_per_layer_follow_the_number_of_layers(self) -> None:
        found = solve("openai/gpt-oss-20b", target("params", "30B"), vary="num_hidden_layers")
        assert found.continued == ("layer_types",)
        types = json.loads(found.assignments[1].removeprefix("layer_types="))
        assert types == (["sliding_attention", "full_attention"] * 50)[: found.answer.field_value]

    def test_lists_are_continued_by_their_shortest_period(self) -> None:
        assert continued(["a", "b", "a"], 6) == ["a", "b", "a", "b", "a", "b"]
        assert continued([1, 1, 2], 5) == [1, 1, 2, 1, 1]
        assert continued([1, 2, 3, 4], 2) == [1, 2]

    def test_the_page_shows_now_answer_and_neighbours(self, run: Here) -> None:
        out = run("width", LLAMA, "--target-params", "8B").out
        for word in ("now", "below", "answer", "above", "14,208", "7,979,929,600", "--set intermediate_size=14208"):
            assert word in out

    def test_json(self, run: Here) -> None:
        data = json.loads(run("width", LLAMA, "--target-ffn-share", "60%@8k", "--format", "json").out)
        found = data["models"][0]["width"]
        assert found["mode"] == "solve"
        assert found["target"] == {"quantity": "ffn_share", "value": 0.6, "ctx": 8000}
        assert found["set"] == [f"intermediate_size={found['answer']['field_value']}"]
        assert found["below"]["value"] < 0.6 < found["above"]["value"]


def value_of(run: Here, ref: str, assignments: tuple[str, ...], quantity: str, ctx: int | None) -> float:
    """The value that the commands for it print for the changed model."""
    sets = [part for each in assignments for part in ("--set", each)]
    if quantity in ("params", "active"):
        data = json.loads(run("params", ref, *sets, "--format", "json").out)["models"][0]["params"]
        return float(data["total" if quantity == "params" else "active"])
    raw = json.loads(
        run(
            "crossover" if quantity == "crossover" else "flops",
            ref,
            *sets,
            *(("--ctx", str(ctx)) if ctx else ()),
            "--format",
            "json",
        ).out
    )
    entry = raw["models"][0]
    return float(entry["crossover"]["ctx"] if quantity == "crossover" else entry["flops"]["points"][0]["ffn_share"])


@pytest.mark.parametrize("columns", ["80", "120"])
def test_no_line_is_wider_than_the_terminal(run: Here, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for args in (
        ("4096",),
        (LLAMA, "--explain"),
        (LLAMA, "--target-params", "8B"),
        (LLAMA, "--target-crossover", "9k"),
    ):
        assert max(map(len, run("width", *args).out.splitlines())) <= int(columns)


def test_the_library_has_them_all() -> None:
    assert ffncalc.width(4096, multiple_of=256).result == 11008
    assert ffncalc.recipes(4096, 11008)[0].chain.result == 11008
    assert ffncalc.origins(ffncalc.load(LLAMA)).widths[0].hidden == 14336
    assert ffncalc.solve(LLAMA, ffncalc.target("params", "8B")).answer.field_value == 14208


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "1" * 200, "inf", "nan", "x"])
def test_a_ratio_far_from_any_that_is_meant_is_refused_at_once(text: str) -> None:
    with pytest.raises(UsageError, match="positive number"):
        ffncalc.width(4096, multiplier=text)
    with pytest.raises(UsageError, match="not a share"):
        ffncalc.target("ffn_share", f"{text}%@8k")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4096.5", "'4096.5' is not a whole number"),
        ("4,096.5", "'4,096.5' is not a whole number"),
        ("1e4", "'1e4' is not a whole number"),
        ("50%", "'50%' is not a whole number"),
        ("9" * 60, f"'{'9' * 56}... is too large a number"),
        ("10_000_000T", "must be at most 1,000,000,000,000,000,000, got 10_000_000T"),
        ("8B", "the width 21,333,333,333 is not between 1 and 1,000,000,000"),
    ],
)
def test_a_number_that_is_no_width_is_an_error_and_no_model(run: Here, text: str, message: str) -> None:
    code, out, err = run("width", text)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[0]


def test_a_model_without_an_ffn_is_named(run: Here) -> None:
    code, out, err = run("width", "state-spaces/mamba-130m-hf", LLAMA, "--target-params", "8B")
    assert (code, "meta-llama/Llama-3.1-8B" in out) == (2, True)
    assert err == (
        "error: state-spaces/mamba-130m-hf: no layer of this model has an FFN\n"
        "hint: Name the field to change with --vary.\n"
    )


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ("nope", "gpt2: --vary nope: this config has no such field"),
        ("scale_attn_weights", "gpt2: --vary scale_attn_weights: this config has no such field"),
        ("activation_function", "gpt2: activation_function does not change the parameters: 124,439,808 for every"),
    ],
)
def test_a_field_that_cannot_be_varied_is_named(run: Here, vary: str, message: str) -> None:
    _, _, err = run("width", "gpt2", "--target-params", "200M", "--vary", vary)
    assert err.startswith(f"error: {message}")


def test_a_wrong_target_names_its_option(run: Here) -> None:
    _, _, err = run("width", LLAMA, "--target-ffn-share", "60")
    assert err.startswith("error: --target-ffn-share: '60' is not a share at a context")
