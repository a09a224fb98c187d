"""`ffncalc flops` as people run it: the page, its JSON and CSV, and the crossover below it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from ffncalc.report import chart
from ffncalc.report.entry import Screen
from tests.command import DEEPSEEK, LLAMA, Here
from tests.test_charts import costed
from tests.test_json_contract import MODEL, check, models

GEMMA = "google/gemma-2-9b"
NUMBER = (int, float)
PARTS = ("ffn", "router", "attention_projections", "attention_core", "mixer", "head", "other")
CROSSOVER = {
    "ctx": (int, type(None)),
    "reason": str,
    "core_vs_rest": (int, type(None)),
    "absorbed": (int, type(None)),
    "max_position_embeddings": (int, type(None)),
    "within_max": (bool, type(None)),
}
POINT = {
    "ctx": int,
    "total": NUMBER,
    "by_category": dict.fromkeys(PARTS, NUMBER),
    "ffn_share": float,
    "beyond_max": bool,
}
FLOPS = {
    "convention": {"phase": str, "mla": str, "full": bool, "words": str},
    "points": [POINT],
    "crossover": CROSSOVER,
}


class TestFlops:
    def test_the_default_model_at_one_context(self, run: Here) -> None:
        code, out, err = run("flops", "--ctx", "128000")
        assert (code, err) == (0, "")
        assert "the default model" in out
        assert "128,000  11,274,289,152  67,108,864,000  2,684,354,560  1,050,673,152  82,118,180,864     13.7 %" in out

    def test_the_convention_stands_in_the_title(self, run: Here) -> None:
        assert "one decoded token" in run("flops").out.splitlines()[1]
        assert "causal prompt" in run("flops", "--phase", "prefill").out.splitlines()[1]
        assert "3 × the mean" in run("flops", "--phase", "train").out.splitlines()[1]
        assert "latent attention absorbed" in run("flops", DEEPSEEK, "--mla", "absorbed").out.splitlines()[1]
        assert "all keys" in run("flops", "--full").out.splitlines()[1]
        assert "attending all of it" in run("flops", "google-bert/bert-base-uncased").out.splitlines()[1]

    def test_default_contexts_are_the_usual_ones_and_the_maximum(self, run: Here) -> None:
        (entry,) = models(run, "flops", "mistralai/Mistral-7B-v0.1")
        (deepseek,) = models(run, "flops", DEEPSEEK)
        assert [p["ctx"] for p in entry["flops"]["points"]] == [1, 1024, 8192, 32_768, 131_072]
        assert [p["ctx"] for p in deepseek["flops"]["points"]][-2:] == [131_072, 163_840]

    def test_contexts_beyond_the_maximum_are_marked(self, run: Here) -> None:
        lines = run("flops", GEMMA, "--ctx", "8192", "--ctx", "8193").out.splitlines()
        assert [line.endswith("beyond 8,192") for line in lines if line.startswith("  8,19")] == [False, True]

    @pytest.mark.parametrize("ref", [LLAMA, DEEPSEEK, GEMMA, "google-t5/t5-base", "state-spaces/mamba-130m-hf"])
    def test_contract(self, run: Here, ref: str) -> None:
        (entry,) = models(run, "flops", ref, "--explain", "--ctx", "100", "--phase", "prefill")
        check(entry, {"model": MODEL, "flops": FLOPS, "crossover": CROSSOVER, "explain": {"chapters": list}})
        (point,) = entry["flops"]["points"]
        assert sum(point["by_category"].values()) == point["total"]
        assert entry["crossover"] == entry["flops"]["crossover"]

    def test_csv_has_a_row_per_model_and_context(self, run: Here) -> None:
        rows = list(csv.DictReader(io.StringIO(run("flops", LLAMA, GEMMA, "--ctx", "1k..4k", "-f", "csv").out)))
        assert [(row["ref"], row["ctx"]) for row in rows] == [
            (ref, ctx) for ref in (LLAMA, GEMMA) for ctx in ("1000", "2000", "4000")
        ]
        assert rows[0]["by_category_ffn"] == "11274289152"
        assert {row["crossover"] for row in rows} == {"21504", "33536"}

    def test_what_if_shows_the_difference(self, run: Here) -> None:
        (entry,) = models(run, "flops", "--ctx", "1", "--set", "intermediate_size=14337")
        extra = entry["flops"]["points"][0]["total"] - entry["base"]["flops"]["points"][0]["total"]
        assert extra == 2 * 32 * 3 * 4096
        assert "+786,432" in run("flops", "--ctx", "1", "--set", "intermediate_size=14337").out

    def test_the_lower_bound_of_recurrent_mixers_is_said_once(self, run: Here) -> None:
        out = run("flops", "state-spaces/mamba-130m-hf", "state-spaces/mamba-2.8b-hf", LLAMA).out
        assert out.count("a lower bound") == 1

    def test_source_tokens_of_an_encoder_decoder_stand_apart(self, run: Here) -> None:
        # t5-base: 12 encoder layers, 4 × 12 × 64 FLOPs per key; 10 source tokens.
        (entry,) = models(run, "flops", "google-t5/t5-base", "--ctx", "3", "--encoder-ctx", "10")
        (point,) = entry["flops"]["encoder_points"]
        assert (point["ctx"], point["by_category"]["attention_core"]) == (10, 12 * 4 * 12 * 64 * 10)
        assert entry["flops"]["points"][0]["by_category"]["attention_core"] == 12 * 4 * 12 * 64 * (3 + 10)

    def test_derivations_end_in_the_numbers_of_the_table(self, run: Here) -> None:
        out = run("flops", GEMMA, "--ctx", "8Ki", "--explain").out
        assert "sliding 4,096 attention core in 21 layers = 344,064 × min(context, sliding_window)" in out
        assert "= 12,947,816,448 + 3,699,376,128 + 4,227,858,432 + 1,835,008,000 = 22,710,059,008" in out
        assert "attention core at 33,536 = 344,064 × 4,096 + 344,064 × 33,536 = 12,947,816,448" in out

    # Each pair of contexts is the last below the crossover and the crossover: see tests/test_crossover.py for the sums.
    @pytest.mark.parametrize(
        ("ref", "options", "named", "ctx"),
        [
            (GEMMA, ("--full",), {"full": True}, 18_816),
            ("google-t5/t5-base", ("--encoder-ctx", "50"), {"encoder_ctx": 50}, 3_022),
            (DEEPSEEK, ("--mla", "absorbed"), {"mla": "absorbed"}, 2_847),
        ],
    )
    def test_the_crossover_is_that_of_the_table_above_it(
        self, run: Here, tmp_path: Path, ref: str, options: tuple[str, ...], named: dict[str, Any], ctx: int
    ) -> None:
        args = ("flops", ref, *options, "--ctx", str(ctx - 1), "--ctx", str(ctx))
        (entry,) = models(run, *args)
        parts = [point["by_category"] for point in entry["flops"]["points"]]
        assert [each["attention_core"] >= each["ffn"] for each in parts] == [False, True]
        assert entry["flops"]["crossover"]["ctx"] == entry["crossover"]["ctx"] == ctx
        assert f"crossover         context {ctx:,}" in run(*args).out
        assert f"attention core at {ctx:,} = " in run(*args, "--explain").out
        assert {row["crossover"] for row in csv.DictReader(io.StringIO(run(*args, "-f", "csv").out))} == {str(ctx)}
        assert run("flops", ref, *options, "--chart", str(tmp_path / "a.svg")).code == 0
        assert f"core overtakes FFN at {ctx:,}" in (tmp_path / "a.svg").read_text()
        assert f"the core overtakes the FFN at {ctx:,}" in chart.page(costed(ref, **named), Screen(width=100))

    def test_both_forms_of_latent_attention_are_shown(self, run: Here) -> None:
        out = run("flops", DEEPSEEK, "--mla", "absorbed").out
        assert "materialized      context 9,677, with the keys and values of latent attention projected up" in out
        assert "\nabsorbed" not in out
        assert "absorbed          context 2,847, with" in run("flops", DEEPSEEK).out

    @pytest.mark.parametrize(
        ("args", "words"),
        [
            ((), "context 21,504, within"),
            (("--phase", "prefill"), "context 21,504 for one decoded token, within"),
            (("--phase", "train"), "context 21,504 for one decoded token, within"),
            (("--phase", "prefill", "--full"), "context 21,504, within"),  # every position costs what the last does
            (("--phase", "prefill", "google-bert/bert-base-uncased"), "context 3,072 for one token amid the text"),
        ],
    )
    def test_the_crossover_of_one_token_says_so_beside_means(
        self, run: Here, args: tuple[str, ...], words: str
    ) -> None:
        assert f"crossover         {words}" in run("flops", *args).out

    def test_the_limit_of_the_decoder_is_none_of_the_source(self, run: Here) -> None:
        out = run("flops", "openai/whisper-large-v3", "--ctx", "448", "--ctx", "449", "--encoder-ctx", "1500").out
        marked = [line.split()[0] for line in out.splitlines() if line.endswith("beyond 448")]
        assert marked == ["449"]
        assert out.count("   1,500  ") == 2

    def test_the_length_of_the_source_has_its_own_symbol(self, run: Here) -> None:
        # T5-base: 12 layers × 4 × 12 × 64 FLOPs per key, in self and cross attention and in the encoder.
        args = ("flops", "google-t5/t5-base", "--ctx", "100", "--explain")
        steps = {
            step["name"]: (step["symbols"], step["values"])
            for chapter in models(run, *args, "--encoder-ctx", "50")[0]["explain"]["chapters"]
            if chapter["title"] in ("context 100", "source of 50")
            for step in chapter["steps"]
            if "12 layers" in step["name"]
        }
        assert steps["source 50 attention core in 12 layers"] == ("36,864 × source", "36,864 × 50")
        assert steps["full attention core in 12 layers"] == ("36,864 × source", "36,864 × 50")
        out = run(*args, "--encoder-ctx", "50").out
        assert "full attention core in 12 layers = 36,864 × context = 36,864 × 100 = 3,686,400" in out
        assert "source attention core in 12 layers = 36,864 × source = 36,864 × 100 = 3,686,400" in run(*args).out

    @pytest.mark.parametrize("args", [("--phase", "dream"), ("--mla", "no"), ("--ctx", "x"), ("--encoder-ctx", "0")])
    def test_wrong_use(self, run: Here, args: tuple[str, str]) -> None:
        code, out, err = run("flops", *args)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
