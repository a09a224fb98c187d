"""flops, crossover and memory as people run them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from ffncalc.cli.contexts import contexts
from ffncalc.errors import UsageError
from tests.command import DEEPSEEK, LLAMA, Here
from tests.test_flops_cli import CROSSOVER, NUMBER
from tests.test_json_contract import MODEL, check, models

GEMMA, MIXTRAL = "google/gemma-2-9b", "mistralai/Mixtral-8x7B-v0.1"
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
