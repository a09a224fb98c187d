"""`ffncalc.check`, the same as the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ffncalc
from ffncalc.errors import NotFound, UsageError
from tests.check.configs import LLAMA, changed, config

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
