"""Budgets: limits from the settings and the command line, for all files or some."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ffncalc.checks import budgets
from ffncalc.checks.budgets import Share
from ffncalc.checks.settings import for_folder, parse
from ffncalc.errors import UsageError
from tests.command import Here
from tests.repository import TINY, TOTAL, save

# TINY: 824 parameters; 2 × 720 FLOPs and 32 per key, of them 768 in the FFN: crossover at 24; a token keeps 32 bytes


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for_folder.cache_clear()
    save(tmp_path / "small/config.json")
    save(tmp_path / "large/config.json", num_hidden_layers=2)
    return tmp_path


def found(run: Here, *args: str) -> list[tuple[str, str, str]]:
    """(file, code, message) of the budget findings."""
    code, out, err = run("check", "small", "large", "--select", "B", "--format", "json", *args)
    assert err == ""
    findings = json.loads(out)["findings"]
    assert code == (1 if findings else 0)
    return [(each["path"].replace("\\", "/"), each["rule"], each["message"]) for each in findings]


@pytest.mark.parametrize(
    ("option", "kept", "broken", "code", "message"),
    [
        ("--max-params", "824", "823", "B001", "824 parameters, the budget is 823 (+1)"),
        ("--max-active", "824", "0.8k", "B002", "824 active parameters, the budget is 800 (+24)"),
        ("--min-ffn-share", "43%@10", "44%@10", "B003", "is 43.6 % of the FLOPs of a token at 10, the budget is at"),
        ("--max-ffn-share", "0.44@10", "0.43@10", "B003", "at 10, the budget is at most 43 %"),
        ("--min-ffn-share", "0.2 %", "0.3 %", "B003", "0.3 % of the FLOPs of a token at 8,192, the budget is at least"),
        (
            "--min-crossover",
            "24",
            "25",
            "B004",
            "attention costs more than the FFN from 24 tokens on, the budget is 25",
        ),
        ("--max-kv-bytes-per-token", "32", "31", "B005", "adds 32 bytes to the key–value cache (bfloat16)"),
    ],
)
def test_each_is_kept_up_to_its_limit(
    run: Here, here: Path, option: str, kept: str, broken: str, code: str, message: str
) -> None:
    (here / "large/config.json").unlink()
    assert found(run, option, kept) == []
    ((path, rule, said),) = found(run, option, broken)
    assert (path, rule) == ("small/config.json", code)
    assert message in said


def test_a_share_without_a_context_is_that_at_8192() -> None:
    assert budgets.share(0.5, "x") == budgets.share("50%", "x") == Share(0.5, 8192)
    assert budgets.share("50 % @ 32Ki", "x") == Share(0.5, 32768)


def test_without_budgets_nothing_is_found(run: Here, here: Path) -> None:
    assert found(run) == []


def test_no_attention_and_no_ffn_have_no_crossover_to_keep(run: Here, tmp_path: Path) -> None:
    code, _, _ = run("check", "state-spaces/mamba-130m-hf", "--select", "B", "--min-crossover", "1M")
    assert code == 0


def test_a_budget_that_cannot_be_checked_is_not_kept(run: Here, here: Path) -> None:
    # a type of transformers that is not described here is otherwise only a warning
    save(here / "small/config.json", model_type="detr", architectures=["DetrForObjectDetection"])
    assert run("check", "small").code == 0
    assert found(run, "--max-params", "1T") == [
        ("small/config.json", "B006", "the budget cannot be checked: model_type 'detr' is not supported")
    ]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('{"model_type":"llama",', "B006 F001"),
        ("", "B006 F001"),
        ('{"peft_type": "LORA"}', "B006 F001"),
        ('{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}', "B006"),
        ('{"hidden_size": 8}', "B006"),
        (json.dumps(TINY | {"intermediate_size": "14336"}), "B006"),
    ],
)
def test_a_file_that_cannot_be_counted_keeps_no_budget(run: Here, here: Path, text: str, codes: str) -> None:
    (here / "small/config.json").write_text(text)
    rows = found(run, "--max-params", "9B")
    assert {path for path, *_ in rows} == {"small/config.json"}
    assert " ".join(sorted(code for _, code, _ in rows)) == codes
    without = found(run, "--max-params", "9B", "--ignore", "F001")
    assert [code for _, code, _ in without] == ["B006"]
    assert without[0][2].startswith("the budget cannot be checked: ")
    assert found(run, "--max-params", "9B", "--ignore", "F001,B006") == []


def test_a_budget_hides_no_finding_about_its_cause(run: Here, here: Path) -> None:
    for change in ({"intermediate_size": "14336"}, {"model_type": "bert", "add_cross_attention": True}):
        save(here / "small/config.json", **change)
        alone, beside = (
            json.loads(run("check", "small", "--format", "json", *budget).out)["findings"]
            for budget in ((), ("--max-params", "1T"))
        )
        assert "error" in {each["severity"] for each in alone}
        assert [each for each in beside if each["rule"] != "B006"] == alone
        assert len(beside) == len(alone) + 1


class TestSettings:
    def test_hold_for_all_files_and_for_patterns(self, run: Here, here: Path) -> None:
        (here / "pyproject.toml").write_text(
            "[tool.ffncalc.budgets]\nmax-params = 1000\nmin_crossover = 25\n"
            '[tool.ffncalc.budgets."small/*"]\nmax-params = 800\nmin-crossover = "20"\n'
            '[tool.ffncalc.budgets."sma*/config.json"]\nmax-params = "0.7k"\n'
        )
        assert found(run) == [
            ("small/config.json", "B001", f"{TOTAL} parameters, the budget is 700 (+124)"),
            ("large/config.json", "B001", "1,480 parameters, the budget is 1,000 (+480)"),
            ("large/config.json", "B004", "attention costs more than the FFN from 24 tokens on, the budget is 25"),
        ]

    def test_give_way_to_the_command_line(self, run: Here, here: Path) -> None:
        (here / "ffncalc.toml").write_text("[budgets]\nmax-params = 1\nmax-active = 1000\n")
        assert [row[:2] for row in found(run, "--max-params", "2k")] == [("large/config.json", "B002")]

    def test_hold_in_a_folder_that_the_program_does_not_run_in(
        self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (here / "ffncalc.toml").write_text('[budgets."small/*.json"]\nmax-params = 1\n')
        monkeypatch.chdir(here / "large")
        code, out, _ = run("check", "../small", ".", "--select", "B", "--format", "json")
        assert code == 1
        assert [Path(each["path"]).parent.name for each in json.loads(out)["findings"]] == ["small"]

    @pytest.mark.parametrize(
        ("table", "message", "hint"),
        [
            ("max-param = 1", "budgets: unknown budget 'max-param'", "Did you mean 'max-params'?"),
            ("size = 1", "budgets: unknown budget 'size'", "Known are max-params, max-active,"),
            ("max-params = 0", "budgets.max-params: must be at least 1, got 0", ""),
            ("max-params = true", "budgets.max-params: must be a whole number, got true", "Write 128000"),
            ('max-params = "8X"', "budgets.max-params: '8X' is not a whole number", "Write 128000"),
            ("max-params = 1.5", "budgets.max-params: must be a whole number, got 1.5", "Write 128000"),
            ("max-params = [1]", "budgets.max-params: must be a whole number, got [1]", "Write 128000"),
            ("min-ffn-share = 2", "budgets.min-ffn-share: a share lies between 0 and 1, got 2", "Write 0.5"),
            ("min-ffn-share = nan", "budgets.min-ffn-share: must be a share, got nan", "Write 0.5"),
            ('min-ffn-share = "half"', "budgets.min-ffn-share: must be a share, got 'half'", "Write 0.5"),
            ('min-ffn-share = "50%@x"', "budgets.min-ffn-share: 'x' is not a whole number", "Write 128000"),
            ('"*.json" = {max-prams = 1}', "budgets.'*.json': unknown budget 'max-prams'", "Did you mean"),
            ('"*.json" = {a = {b = 1}}', "budgets.'*.json': unknown budget 'a'", "Known are"),
        ],
    )
    def test_that_are_wrong_are_named(self, run: Here, here: Path, table: str, message: str, hint: str) -> None:
        (here / "ffncalc.toml").write_text(f"[budgets]\n{table}\n")
        code, _, err = run("check", "small")
        assert code == 2
        assert message in err
        assert hint in err

    def test_must_be_a_table(self, run: Here, here: Path) -> None:
        (here / "ffncalc.toml").write_text("budgets = 3\n")
        assert "budgets: must be a table, got 3" in run("check", "small").err


@pytest.mark.parametrize(
    ("value", "expected"),
    [("128KiB", 131072), ("128 kb", 128000), ("131072", 131072), ("1MiB", 2**20), ("512B", 512), (32, 32)],
)
def test_bytes_may_have_their_unit(value: Any, expected: int) -> None:
    assert budgets.octets(value, "x") == expected


def test_wrong_options_are_named(run: Here, here: Path) -> None:
    assert run("check", "small", "--max-params", "-3").err.startswith("error: --max-params: must be at least 1, got -3")
    with pytest.raises(UsageError, match="--max-kv-bytes-per-token: '1Q' is not a whole number"):
        budgets.given({"max_kv_bytes_per_token": "1Q"})


def test_the_settings_of_the_readme_can_be_read() -> None:
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    tables = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    found = [parse(table.get("tool", {}).get("ffncalc", table), "README.md") for table in tables]
    assert {name for each in found for _, limits in each.budgets for name in limits} >= {"max_params", "min_ffn_share"}
    shown = set(re.findall(r"`((?:max|min)-[\w-]+)`", text))
    assert shown == set(budgets.NAMES)
