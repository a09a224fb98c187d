"""flops, crossover and memory as people run them."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import ffncalc
from ffncalc.cli.contexts import contexts
from ffncalc.errors import UsageError
from ffncalc.report import chart, curves
from ffncalc.report.entry import Entry, Screen
from ffncalc.report.flops import Costed
from tests.command import DEEPSEEK, LLAMA, Here
from tests.test_json_contract import MODEL, check, models

GEMMA, MIXTRAL = "google/gemma-2-9b", "mistralai/Mixtral-8x7B-v0.1"
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
MEMORY = {
    "dtype": str,
    "weight_bytes": int,
    "weight_bytes_by_category": dict,
    "kv_bytes_per_token": NUMBER,
    "kv_bytes": [{"ctx": int, "bytes": int, "full_length_bytes": int}],
    "decode_read_bytes": [{"ctx": int, "total": NUMBER, "by_category": dict}],
}


class TestContexts:
    def test_a_number_as_people_type_it(self) -> None:
        assert contexts(["128000", "128k", "128Ki", "1"], None) == (1, 128_000, 131_072)

    def test_a_range_doubles_and_keeps_its_end(self) -> None:
        assert contexts(["1Ki..8Ki"], None) == (1024, 2048, 4096, 8192)
        assert contexts(["1k..5k"], None) == (1000, 2000, 4000, 5000)
        assert contexts(["7..7"], None) == (7,)

    def test_steps_are_even_on_a_log_scale(self) -> None:
        assert contexts(["1..10000"], "5") == (1, 10, 100, 1000, 10_000)
        found = contexts(["1k..1M"], "40")
        assert found is not None
        assert (len(found), found[0], found[-1]) == (40, 1000, 1_000_000)

    @pytest.mark.parametrize("text", ["0", "-5", "8..4", "..4", "4..", "1.5", "many", "1..2..3"])
    def test_what_is_no_length_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError):
            contexts([text], None)

    @pytest.mark.parametrize(
        ("texts", "steps"), [(["4"], "3"), (None, "3"), (["1..9"], "1"), (["1..9"], "1M"), (["1..9"], "x")]
    )
    def test_steps_need_a_range_and_a_sane_number(self, texts: list[str] | None, steps: str) -> None:
        with pytest.raises(UsageError):
            contexts(texts, steps)


def test_csv_has_the_tokens_of_both_streams(run: Here) -> None:
    args = ("flops", "google-t5/t5-small", "--ctx", "8", "--encoder-ctx", "4", "-f")
    rows = list(csv.DictReader(io.StringIO(run(*args, "csv").out)))
    flops = json.loads(run(*args, "json").out)["models"][0]["flops"]
    assert [(row["stream"], row["ctx"], int(row["total"])) for row in rows] == [
        ("token", "8", flops["points"][0]["total"]),
        ("source", "4", flops["encoder_points"][0]["total"]),
    ]
    # 6 layers of 4 × 512 × 512 attention and 2 × 512 × 2048 FFN weights, 4 × 512 FLOPs for each of 4 keys; and
    # in each of 6 decoder layers, the keys and values of the cross attention
    assert int(rows[1]["total"]) == 6 * (2 * 3_145_728 + 4 * 512 * 4) + 6 * 2 * (2 * 512 * 512)


WRONG = [
    (("flops", "--ctx", "x"), "--ctx: 'x' is not a whole number"),
    (("flops", "--ctx", "1..2", "--steps", "x"), "--steps: 'x' is not a whole number"),
    (("flops", "--ctx", "1k.."), "--ctx 1k..: a range has two ends"),
    (("flops", "--ctx", "9" * 60), f"--ctx: '{'9' * 56}... is too large a number"),
    (("flops", "--ctx", "10000000T"), "--ctx must be at most 1,000,000,000,000,000,000, got 10000000T"),
    (("flops", "--phase", "x"), "Invalid value for '--phase': 'x' is not one of 'decode', 'prefill', 'train'"),
    (("memory", "--batch", "0"), "--batch must be at least 1, got 0"),
    (("memory", "--dtype", "foo"), "--dtype: 'foo' is no number format that is known"),
    (("memory", "--kv-dtype", ""), "--kv-dtype: '' is no number format that is known"),
    (("ffn", "--act", "nope"), "--act: no activation is called 'nope'"),
]


@pytest.mark.parametrize(("args", "message"), WRONG, ids=[row[1][:30] for row in WRONG])
def test_a_wrong_value_is_one_error_that_names_its_option(run: Here, args: tuple[str, ...], message: str) -> None:
    code, out, err = run(args[0], LLAMA, GEMMA, *args[1:])
    assert (code, out) == (2, "")
    assert err.splitlines()[0] == f"error: {message}"
    assert err.count("error:") == 1


@pytest.mark.parametrize(
    ("args", "note"),
    [
        (("flops", "--encoder-ctx", "9"), "the length of the source changes no number: no layer attends one"),
        (("memory", "--encoder-ctx", "9"), "the length of the source changes no number: no layer attends one"),
        (("flops", "--mla", "absorbed"), "absorbed changes no number: no layer has latent attention"),
    ],
    ids=" ".join,
)
def test_an_option_that_changes_no_number_is_noted(run: Here, args: tuple[str, ...], note: str) -> None:
    def numbers(*command: str) -> list[list[str]]:
        rows = csv.DictReader(io.StringIO(run(*command, "-f", "csv").out))
        return [[row[name] for name in row if name not in ("mla", "encoder_ctx", "notes")] for row in rows]

    for ref in (LLAMA, "google-t5/t5-small", "deepseek-ai/DeepSeek-V3"):
        idle = numbers(args[0], ref) == numbers(*args, ref)
        for format in ("table", "json", "csv"):
            assert (note in run(*args, ref, "-f", format).out) == idle


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

    @pytest.mark.parametrize("args", [("--phase", "dream"), ("--mla", "no"), ("--ctx", "x"), ("--encoder-ctx", "0")])
    def test_wrong_use(self, run: Here, args: tuple[str, str]) -> None:
        code, out, err = run("flops", *args)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")


class TestCrossover:
    def test_page(self, run: Here) -> None:
        out = run("crossover", DEEPSEEK).out
        assert "context 9,677, within the 163,840 it is made for" in out
        assert "61 layers of full attention" in out
        assert "context 2,847, with latent attention as inference engines run it" in out

    @pytest.mark.parametrize(
        ("ref", "ctx", "within"),
        [(LLAMA, 21_504, True), (MIXTRAL, 43_008, False), (DEEPSEEK, 9_677, True), (GEMMA, 33_536, False)],
    )
    def test_contract(self, run: Here, ref: str, ctx: int, within: bool) -> None:
        (entry,) = models(run, "crossover", ref, "--explain")
        check(entry, {"model": MODEL, "crossover": CROSSOVER, "explain": {"chapters": list}})
        assert (entry["crossover"]["ctx"], entry["crossover"]["within_max"]) == (ctx, within)

    def test_a_model_without_attention_never_crosses(self, run: Here) -> None:
        (entry,) = models(run, "crossover", "state-spaces/mamba-130m-hf")
        assert entry["crossover"]["ctx"] is None
        assert "crossover         never" in run("crossover", "state-spaces/mamba-130m-hf").out

    def test_what_if(self, run: Here) -> None:
        out = run("crossover", "--set", "intermediate_size=28672").out
        assert "context 43,008, within the 131,072 it is made for; unchanged: context 21,504" in out


class TestMemory:
    def test_page(self, run: Here) -> None:
        out = run("memory", "--ctx", "128Ki").out
        assert "FFN        11,274,289,152  11.27 GB   70.2 %" in out
        assert "bfloat16, from torch_dtype" in out
        assert "17,179,869,184  17.18 GB" in out

    @pytest.mark.parametrize("ref", [LLAMA, DEEPSEEK, "openai/gpt-oss-20b", MIXTRAL])
    def test_contract(self, run: Here, ref: str) -> None:
        (entry,) = models(run, "memory", ref, "--ctx", "1k", "--batch", "3", "--explain")
        check(entry, {"model": MODEL, "memory": MEMORY, "explain": {"chapters": list}})
        memory = entry["memory"]
        assert sum(memory["weight_bytes_by_category"].values()) == memory["weight_bytes"]
        (read,) = memory["decode_read_bytes"]
        assert sum(read["by_category"].values()) == pytest.approx(read["total"], abs=1e-3)

    def test_csv_has_a_row_per_context(self, run: Here) -> None:
        rows = list(csv.DictReader(io.StringIO(run("memory", "--ctx", "1k", "--ctx", "2k", "-f", "csv").out)))
        assert [row["kv_bytes"] for row in rows] == ["131072000", "262144000"]
        assert {row["weight_bytes"] for row in rows} == {"16060522496"}

    def test_the_cache_may_have_a_format_of_its_own(self, run: Here) -> None:
        (entry,) = models(run, "memory", "--ctx", "1k", "--kv-dtype", "fp8")
        assert entry["memory"]["kv_bytes"][0]["bytes"] == 65_536_000

    def test_an_unknown_method_fails_for_that_model_alone(self, run: Here, tmp_path: Path) -> None:
        config = json.loads((Path(__file__).parents[1] / "configs/openai-community/gpt2.json").read_bytes())
        path = tmp_path / "config.json"
        path.write_text(json.dumps(config | {"quantization_config": {"quant_method": "aqlm"}}))
        code, out, err = run("memory", str(path), LLAMA)
        assert code == 2
        assert "16,060,522,496" in out
        assert "'aqlm'" in err
        assert "--dtype" in err


def costed(*refs: str, **options: Any) -> list[Entry[Costed]]:
    loaded = [ffncalc.load(ref) for ref in refs]
    return [Entry(ref=m.name, model=m, result=Costed(flops=ffncalc.flops(m, **options))) for m in loaded]


class TestCharts:
    def test_columns_show_the_shares(self) -> None:
        lines = chart.page(costed(LLAMA), Screen(width=100, ascii=True)).splitlines()
        rows = [line[6:] for line in lines[2:18]]
        first, last = ([row[i] for row in rows] for i in (0, len(rows[0]) - 1))
        assert first.count("#") == 12  # 75.1 % of 16 rows
        assert last.count("#") == 2  # 13.5 % at 131,072
        assert {row.index("|") for row in rows} == {77}  # 91 × log(21,504) / log(131,072)
        assert "the core overtakes the FFN at 21,504 ^" in lines[19]

    def test_plain_terminals_get_plain_characters(self) -> None:
        assert chart.page(costed(DEEPSEEK), Screen(width=80, ascii=True)).isascii()
        assert "\x1b" not in chart.page(costed(DEEPSEEK), Screen(width=80))
        assert "\x1b[38;5;" in chart.page(costed(DEEPSEEK), Screen(width=80, color=True))

    def test_nothing_is_drawn_into_a_pipe_or_a_narrow_terminal(self, run: Here) -> None:
        assert "▓" not in run("flops").out
        assert chart.page(costed(LLAMA), Screen(width=30)) == ""

    def test_several_models_overlay(self) -> None:
        page = chart.page(costed(LLAMA, DEEPSEEK), Screen(width=90, ascii=True))
        assert "a meta-llama/Llama-3.1-8B, crossover at 21,504" in page
        assert "b deepseek-ai/DeepSeek-V3, crossover at 9,677" in page

    def test_a_chart_of_prompts_marks_no_crossover(self) -> None:
        assert "overtakes" not in chart.page(costed(LLAMA, phase="prefill"), Screen(width=90))

    def test_the_axis_has_round_contexts(self) -> None:
        assert curves.ticks(1, 131_072) == [1, 8, 64, 512, 4096, 32_768]
        assert [curves.tick(n) for n in (1, 8192, 2**20, 1000)] == ["1", "8Ki", "1Mi", "1,000"]

    def test_svg(self, run: Here, tmp_path: Path) -> None:
        path = tmp_path / "shares.svg"
        code, out, err = run("flops", "--chart", str(path), "--format", "json")
        assert code == 0
        assert json.loads(out)["models"]
        assert err == f"chart written to {path}\n"
        text = path.read_text()
        assert text.startswith("<svg ")
        assert "core overtakes FFN at 21,504" in text
        assert text.count("<polygon") == 4

    def test_svg_of_several_models(self, run: Here, tmp_path: Path) -> None:
        path = tmp_path / "shares.svg"
        assert run("flops", LLAMA, GEMMA, "--chart", str(path)).code == 0
        assert path.read_text().count("<polyline") == 2

    def test_png_without_matplotlib_says_what_to_do(self, run: Here, tmp_path: Path) -> None:
        run.monkeypatch.setitem(sys.modules, "matplotlib", None)
        run.monkeypatch.setattr("ffncalc.report.picture.find_spec", lambda name: None)
        code, out, err = run("flops", "--chart", str(tmp_path / "a.png"))
        assert (code, out) == (2, "")
        assert "ffncalc[chart]" in err

    def test_png(self, run: Here, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        path = tmp_path / "a.png"
        assert run("flops", "--chart", str(path)).code == 0
        assert path.read_bytes().startswith(b"\x89PNG")

    @pytest.mark.parametrize("name", ["a.gif", "a", "nowhere/a.svg"])
    def test_a_file_that_cannot_be_drawn_is_refused_at_once(self, run: Here, tmp_path: Path, name: str) -> None:
        code, out, err = run("flops", "--chart", str(tmp_path / name))
        assert (code, out) == (2, "")
        assert "--chart" in err
