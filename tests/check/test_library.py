"""The library has what the commands have: `check`, `lock`, `diff`, `parallel`, and the lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ffncalc
from ffncalc.checks import RULES
from ffncalc.cli.commands import COMMANDS
from ffncalc.errors import NotFound, UsageError
from tests.check.configs import LLAMA, changed, config
from tests.repository import TOTAL, save

BAD = changed(config(LLAMA), {"num_key_value_heads": 7})


def test_a_file_and_a_parsed_config_give_the_same(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(BAD, indent=2))
    of_file, of_dict = ffncalc.check(file), ffncalc.check(BAD)
    assert [(f.code, f.line, f.field) for f in of_file.findings] == [
        (f.code, f.line, f.field) for f in of_dict.findings
    ]
    assert [f.code for f in of_file.errors] == ["S002"]


def test_settings_are_those_of_the_file() -> None:
    assert ffncalc.check(BAD, select=["F"]).findings == ()
    assert {f.code for f in ffncalc.check(config(LLAMA), tp=3, select=["D"]).errors} == {"D001", "D002", "D003"}
    with pytest.raises(UsageError, match="unknown setting 'tpp'"):
        ffncalc.check(BAD, tpp=3)


def test_the_dictionary_is_that_of_the_contract() -> None:
    found = ffncalc.check(BAD, select=["S002"]).to_dict()
    assert found["summary"] == {"files": 1, "errors": 1, "warnings": 0, "infos": 0}
    assert isinstance(found["findings"], list)
    assert found["findings"][0]["rule"] == "S002"


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        ffncalc.check(tmp_path / "gone.json")


def test_every_command_has_its_function_with_a_docstring() -> None:
    assert set(COMMANDS) <= set(ffncalc.__all__)
    for name in ffncalc.__all__:
        assert getattr(ffncalc, name).__doc__ or name == "__version__", name


def test_diff_takes_references_paths_and_parsed_configs(tmp_path: Path) -> None:
    wider = changed(config(LLAMA), {"intermediate_size": 16384})
    file = tmp_path / "config.json"
    file.write_text(json.dumps(wider))
    for old, new in ((LLAMA, wider), (config(LLAMA), str(file)), (LLAMA, file)):
        found = ffncalc.diff(old, new, ctx=1000)
        assert found.moved
        assert [(f.name, f.old, f.new, f.counts) for f in found.fields] == [("intermediate_size", 14336, 16384, True)]
        assert found.params()["total"].change == 32 * 3 * 4096 * 2048
        assert [ctx for ctx, *_ in found.points()] == [1000]
    assert not ffncalc.diff(LLAMA, config(LLAMA)).moved
    with pytest.raises(NotFound):
        ffncalc.diff(LLAMA, tmp_path / "gone.json")


def test_lock_writes_compares_and_drops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = save(tmp_path / "a.json"), save(tmp_path / "b/config.json")
    broken = tmp_path / "c.json"
    broken.write_text("{")
    made = ffncalc.lock([first, str(second)], folder=tmp_path)
    assert (made.path, made.added) == (tmp_path / "ffncalc.lock.json", ["a.json", "b/config.json"])
    assert made.files["a.json"].total == TOTAL
    assert not ffncalc.lock(folder=tmp_path, check=True).differs

    save(first, intermediate_size=32)
    second.unlink()
    before = made.path.read_bytes()
    compared = ffncalc.lock(folder=tmp_path, check=True)
    assert made.path.read_bytes() == before
    written = ffncalc.lock([tmp_path, broken], folder=tmp_path)
    for each in (compared, written):
        assert list(each.changed) == ["a.json"]
        assert f"{TOTAL:,} → {TOTAL + 3 * 8 * 16:,}" in each.changed["a.json"]
        assert each.removed == ["b/config.json"]
    assert list(written.failed) == [str(broken)]
    assert set(json.loads(made.path.read_bytes())["files"]) == {"a.json"}
    data = json.loads(json.dumps(written.to_dict()))
    assert set(data) == {"path", "files", "added", "changed", "removed", "failed"}
    assert "ends too early" in data["failed"][str(broken)]
    assert capsys.readouterr() == ("", "")


def test_lock_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="locks nothing yet"):
        ffncalc.lock(folder=tmp_path)
    with pytest.raises(NotFound, match="no model config in"):
        ffncalc.lock(tmp_path, folder=tmp_path)
    with pytest.raises(NotFound, match="no such folder"):
        ffncalc.lock(folder=tmp_path / "gone")
    assert list(tmp_path.iterdir()) == []


def test_parallel_takes_the_block_of_the_config_unless_one_is_given() -> None:
    model = ffncalc.load("deepseek-ai/DeepSeek-V3")
    # its blocks are 128 wide: 2048 / 16 = 128; in blocks of 64 also 2048 / 32
    assert ffncalc.parallel(model).to_dict()["tp"] == [1, 2, 4, 8, 16]
    assert ffncalc.parallel(model, block=64).to_dict()["tp"] == [1, 2, 4, 8, 16, 32]


def test_the_lists() -> None:
    assert [each.code for each in ffncalc.rules()] == list(RULES)
    assert ffncalc.rule("s002") == ffncalc.rule("kv-heads-do-not-divide")
    with pytest.raises(UsageError, match="no rule is called 'S02'"):
        ffncalc.rule("S02")
    assert LLAMA in ffncalc.models()
    llama = next(each for each in ffncalc.archs() if each.model_type == "llama")
    assert LLAMA in llama.configs
