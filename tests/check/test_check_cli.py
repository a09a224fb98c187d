"""`ffncalc check` as a user meets it: what it looks at, streams, exit codes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from ffncalc.checks.settings import for_folder
from ffncalc.source import bundled
from tests.check.configs import LLAMA, changed, config
from tests.command import Here, apart

GOOD = json.dumps(config(LLAMA))
BAD = json.dumps(changed(config(LLAMA), {"num_key_value_heads": 7}), indent=2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    for_folder.cache_clear()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lay(folder: Path, files: dict[str, str]) -> None:
    """Write files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def checked(out: str) -> list[str]:
    """The files that --format json has findings in."""
    return list(dict.fromkeys(finding["path"] for finding in json.loads(out)["findings"]))


class TestExitCodes:
    def test_0_without_errors(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": GOOD})
        code, out, err = run("check", "config.json", "--ignore", "P003")
        assert (code, out, err) == (0, "No findings in 1 file\n", "")

    def test_1_with_an_error(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": BAD})
        code, out, err = run("check", "config.json", "--select", "S002")
        assert (code, err) == (1, "")
        assert out == (
            "config.json:12:3: S002 error: num_key_value_heads 7 is no divisor of num_attention_heads 32 "
            "[kv-heads-do-not-divide]\n"
            "  hint: Write one of 1, 2, 4, 8, 16, 32.\n"
            "1 error in 1 file\n"
        )

    @pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 0), ("info", 1)])
    def test_fail_on_lowers_the_bar(self, run: Here, folder: Path, level: str, code: int) -> None:
        lay(folder, {"config.json": GOOD})
        assert run("check", "config.json", "--fail-on", level).code == code

    def test_2_for_what_is_not_there_and_the_others_are_checked(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": BAD})
        code, out, err = run("check", "gone.json", "config.json")
        assert code == 2
        assert "S002" in out
        assert err == "error: gone.json: no such file or folder\n"

    def test_2_for_a_folder_without_configs(self, run: Here, folder: Path) -> None:
        lay(folder, {"notes.txt": "x", "other.json": "[1]"})
        code, out, err = run("check", ".")
        assert (code, out) == (2, "")
        assert "no model config in ." in err

    @pytest.mark.parametrize("format", ["json", "github", "sarif", "junit", "markdown"])
    def test_an_output_in_which_nothing_was_checked_does_not_look_clean(
        self, run: Here, folder: Path, format: str
    ) -> None:
        lay(folder, {"a/notes.txt": "x", "b/other.json": "[1]"})
        code, out, err = run("check", "a", "b", "--format", format)
        assert code == 2
        for name in ("a", "b"):
            assert f"error: no model config in {name}\n" in err
            assert f"no model config in {name}" in out

    def test_2_for_a_wrong_setting_which_is_named(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": GOOD, "ffncalc.toml": "slect = ['S']\n"})
        code, _, err = run("check", "config.json")
        assert code == 2
        assert "ffncalc.toml: unknown setting 'slect'" in err

    def test_a_file_that_is_no_json_is_a_finding(self, run: Here, folder: Path) -> None:
        lay(folder, {"a/config.json": '{"hidden_size": 1,\n}', "b/config.json": GOOD})
        code, out, _ = run("check", ".", "--select", "F001")
        assert code == 1
        assert out.startswith("./a/config.json:1:18: F001 error: a comma before '}' [not-a-config]")
        assert out.endswith("1 error in 2 files\n")

    def test_a_byte_that_is_no_text_is_found_where_it_stands(self, run: Here, folder: Path) -> None:
        (folder / "config.json").write_bytes('{\n "a": "é",\n "b": "é'.encode() + b'\xe9"}')
        out = run("check", "config.json").out
        assert out.startswith("config.json:3:9: F001 error: not a text in UTF-8 or UTF-16 (byte 23) [not-a-config]\n")


class TestWhatIsChecked:
    FILES = {
        "a/config.json": BAD,
        "a/generation_config.json": '{"do_sample": true}',
        "a/tokenizer_config.json": '{"tokenizer_class": "X"}',
        "a/model.safetensors.index.json": '{"weight_map": {}}',
        "b/tiny.json": BAD,
        "b/data.json": '{"rows": [1, 2]}',
        "b/list.json": "[1]",
        "b/broken-data.json": "{",
        "b/broken.json": '{"model_type": "llama",',
        "c/params.json": '{"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 3, "vocab_size": 64, "hidden_dim": 9}',
        ".hidden/config.json": BAD,
        "node_modules/config.json": BAD,
    }

    def test_a_folder_gives_its_configs(self, run: Here, folder: Path) -> None:
        lay(folder, self.FILES)
        code, out, err = run("check", ".", "--format", "json")
        assert (code, err) == (1, "")
        assert [path.removeprefix("./") for path in checked(out)] == [
            "a/config.json",
            "b/broken.json",
            "b/tiny.json",
            "c/params.json",
        ]
        assert json.loads(out)["summary"]["files"] == 4

    def test_a_pattern(self, run: Here, folder: Path) -> None:
        lay(folder, self.FILES)
        assert checked(run("check", "*/t*.json", "-f", "json").out) == ["b/tiny.json"]
        assert checked(run("check", "**/config.json", "-f", "json").out) == [
            "a/config.json",
            "node_modules/config.json",
        ]

    def test_a_file_that_is_named_is_checked_whatever_it_is(self, run: Here, folder: Path) -> None:
        lay(folder, self.FILES)
        code, out, _ = run("check", "a/tokenizer_config.json")
        assert code == 1
        assert "F001 error: this is a tokenizer config" in out

    def test_a_file_that_is_named_beside_its_folder_is_checked_too(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": GOOD, "other.json": "{"})
        assert json.loads(run("check", ".", "-f", "json").out)["summary"]["files"] == 1
        code, out, _ = run("check", ".", "other.json", "--select", "F")
        assert code == 1
        assert out.startswith("./other.json:1:2: F001 error: the file ends too early")
        assert out.endswith("1 error in 2 files\n")

    def test_each_file_once(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": BAD})
        out = run("check", ".", "config.json", "./config.json", "-f", "json").out
        assert json.loads(out)["summary"]["files"] == 1

    def test_excluded_files_are_left_out(self, run: Here, folder: Path) -> None:
        lay(folder, self.FILES | {"ffncalc.toml": 'exclude = ["b", "params.json"]\n'})
        assert [p.removeprefix("./") for p in checked(run("check", ".", "-f", "json").out)] == ["a/config.json"]

    def test_a_loop_of_links_ends(self, run: Here, folder: Path) -> None:
        lay(folder, {"a/config.json": BAD})
        os.symlink(folder, folder / "a" / "loop")
        assert json.loads(run("check", ".", "-f", "json").out)["summary"]["files"] == 1

    def test_a_bundled_model(self, run: Here, folder: Path) -> None:
        code, out, _ = run("check", "google/gemma-2-9b")
        assert code == 0
        assert out.splitlines()[0].startswith("google/gemma-2-9b:")

    def test_standard_input(self, folder: Path) -> None:
        code, out, _ = apart("check", "-", "--select", "S002", text=BAD)
        assert code == 1
        assert out.startswith("-:12:3: S002 error")

    def test_params_json_keeps_its_own_keys(self, run: Here, folder: Path) -> None:
        lay(folder, self.FILES)
        findings = json.loads(run("check", "c", "--select", "S", "-f", "json").out)["findings"]
        assert [(f["rule"], f["field"], f["column"]) for f in findings] == [("S002", "n_kv_heads", 42)]


class TestRulesThatRun:
    def test_select_and_ignore_take_lists_and_starts(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": BAD})
        assert run("check", "config.json", "--select", "F,E,C").code == 0
        assert run("check", "config.json", "--select", "F", "--select", "S").code == 1
        assert run("check", "config.json", "--ignore", "S002").code == 0

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ("--select S", 1),
            ("--select B,L", 1),
            ("--ignore F", 1),
            ("--ignore ALL", 1),
            ("--ignore F001", 0),
            ("--select F --ignore S,F001", 0),
        ],
    )
    def test_a_file_that_cannot_be_read_is_reported_unless_f001_is_ignored_in_full(
        self, run: Here, folder: Path, options: str, code: int
    ) -> None:
        for text in ('{"model_type":"llama",', "", '{"peft_type": "LORA"}'):
            lay(folder, {"config.json": text})
            ran = run("check", "config.json", *options.split())
            assert (ran.code, "F001 error" in ran.out) == (code, code == 1)
            lay(folder, {"ffncalc.toml": '[per-file-ignores]\n"config.json" = ["F001"]\n'})
            for_folder.cache_clear()
            assert run("check", "config.json", "--select", "S").code == 0
            (folder / "ffncalc.toml").unlink()
            for_folder.cache_clear()

    def test_per_file_ignores(self, run: Here, folder: Path) -> None:
        lay(
            folder,
            {
                "drafts/config.json": BAD,
                "final/config.json": BAD,
                "ffncalc.toml": '[per-file-ignores]\n"drafts/*" = ["S"]\n',
            },
        )
        assert [p.removeprefix("./") for p in checked(run("check", ".", "--select", "S", "-f", "json").out)] == [
            "final/config.json"
        ]

    def test_an_unknown_code_names_the_nearest(self, run: Here, folder: Path) -> None:
        code, _, err = run("check", ".", "--select", "S02")
        assert code == 2
        assert "no rule is called 'S02'" in err
        assert "Did you mean 'S002'?" in err

    def test_deployment_is_silent_unless_asked(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": GOOD})
        assert run("check", "config.json", "--select", "D").out == "No findings in 1 file\n"
        code, out, _ = run("check", "config.json", "--select", "D", "--tp", "3")
        assert code == 1
        assert "--tp that works: 1, 2, 4, 8, 16, 32." in out

    def test_settings_ask_for_a_deployment(self, run: Here, folder: Path) -> None:
        lay(folder, {"config.json": GOOD, "ffncalc.toml": "tp = 3\n"})
        assert run("check", "config.json").code == 1
        assert run("check", "config.json", "--tp", "2").code == 0


def test_many_files_come_in_order_whatever_the_processes(run: Here, folder: Path) -> None:
    for i in range(300):
        lay(folder, {f"{i:03}/config.json": BAD})
    one = run("check", ".", "--select", "S", "-j", "1", "-f", "json")
    two = run("check", ".", "--select", "S", "-j", "2", "-f", "json")
    assert one == two
    assert json.loads(two.out)["summary"]["errors"] == 300


def test_bundled_configs_pass_their_own_check(run: Here, folder: Path) -> None:
    shutil.copytree(bundled.root(), folder / "configs")
    code, out, err = run("check", "configs", "-f", "json")
    summary = json.loads(out)["summary"]
    assert (code, err, summary["errors"]) == (0, "", 0)
    assert summary["files"] == sum(1 for _ in bundled.entries())


class TestRulePages:
    def test_a_rule_by_code_or_name(self, run: Here) -> None:
        assert run("rule", "s002").out == run("rule", "kv-heads-do-not-divide").out
        assert "https://arxiv.org/abs/2305.13245" in run("rule", "S002").out

    def test_an_unknown_rule_names_the_nearest(self, run: Here) -> None:
        code, _, err = run("rule", "S02")
        assert code == 2
        assert "Did you mean S002?" in err

    def test_rules_lists_every_rule(self, run: Here) -> None:
        from ffncalc.checks import RULES

        data = json.loads(run("rules", "-f", "json").out)
        assert [each["code"] for each in data["rules"]] == list(RULES)

    @pytest.mark.parametrize(
        ("words", "codes"),
        [
            (["latent"], "M001 M002 M003 M004 M005 M006 M007"),
            (["Deployment", "kv"], "D002"),
            (["lock", "file"], "L002 L003"),
            (["tokens", "vocabulary"], "E003 E004"),
            (["groups"], "M004 M005"),
        ],
        ids=" ".join,
    )
    def test_rules_are_found_by_words_of_code_name_and_group(self, run: Here, words: list[str], codes: str) -> None:
        data = json.loads(run("rules", *words, "-f", "json").out)
        assert " ".join(each["code"] for each in data["rules"]) == codes

    def test_no_rule_of_a_word(self, run: Here) -> None:
        code, _, err = run("rules", "settings")  # a word of what a group is about, not of its name
        assert (code, err.splitlines()[0]) == (2, "error: no rule is called settings")


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_option_without_any_code_does_not_switch_the_gate_off(option: str) -> None:
    assert apart("check", "meta-llama/Llama-3.1-8B", option, "").code == 2
