"""Settings: where they are found, what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ffncalc.checks.finding import Severity
from ffncalc.checks.settings import DEFAULT, Settings, for_file, for_folder, parse
from ffncalc.errors import UsageError


@pytest.fixture(autouse=True)
def _fresh() -> None:
    for_folder.cache_clear()


def test_the_nearest_file_above_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ffncalc]\ntp = 2\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "ffncalc.toml").write_text("tp = 4\n")
    (tmp_path / "a" / "b").mkdir()
    assert for_file(tmp_path / "config.json").tp == 2
    assert for_file(tmp_path / "a" / "b" / "config.json").tp == 4


def test_a_pyproject_without_the_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "ffncalc.toml").write_text("pp = 3\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert for_file(tmp_path / "a" / "config.json").pp == 3


def test_every_setting_is_read() -> None:
    table = {
        "select": ["S", "F001"],
        "ignore": ["S009"],
        "per-file-ignores": {"drafts/*": ["ALL"]},
        "exclude": ["old"],
        "force-exclude": True,
        "fail-on": "warning",
        "tp": 8,
        "ep": 16,
        "pp": 2,
    }
    found = parse(table, "x")
    assert found.select == ("S", "F001")
    assert found.per_file_ignores == (("drafts/*", ("ALL",)),)
    assert found.exclude == ("old",)
    assert found.force_exclude is True
    assert found.fail_on is Severity.WARNING
    assert (found.tp, found.ep, found.pp) == (8, 16, 2)


def test_keys_may_have_underscores() -> None:
    found = parse({"fail_on": "info", "per_file_ignores": {"a": ["S"]}, "budgets": {"max_params": "2B"}}, "x")
    assert found.fail_on is Severity.INFO
    assert found.per_file_ignores == (("a", ("S",)),)
    assert found.budgets == (("*", {"max_params": 2 * 10**9}),)


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        ({"slect": ["S"]}, "unknown setting 'slect'", "Did you mean 'select'?"),
        ({"fail_onn": "error"}, "unknown setting 'fail_onn'", "Did you mean 'fail-on'?"),
        ({"fail_on": "error", "fail-on": "info"}, "'fail-on' is given twice", "Keep 'fail-on' only."),
        ({"tool": {"ffncalc": {"tp": 2}}}, "unknown setting 'tool'", "in ffncalc.toml have no `tool.ffncalc`"),
        ({"force-exclude": "yes"}, "force-exclude: must be true or false, got 'yes'", ""),
        ({"select": "S"}, "select: must be a list of rule codes, got 'S'", ""),
        ({"ignore": ["S02"]}, "ignore: no rule is called 'S02'", "Did you mean 'S002'?"),
        ({"fail-on": "fatal"}, "fail-on: must be one of error, warning, info, got 'fatal'", ""),
        ({"tp": 0}, "tp: must be an integer from 1 to 65536, got 0", ""),
        ({"ep": True}, "ep: must be an integer from 1 to 65536, got true", ""),
        ({"per-file-ignores": ["x"]}, "per-file-ignores: must be a table", ""),
        ({"per-file-ignores": {"*": ["Q1"]}}, "per-file-ignores.'*': no rule is called 'Q1'", ""),
    ],
    ids=str,
)
def test_a_wrong_setting_is_named(table: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(table, "ffncalc.toml")
    assert f"ffncalc.toml: {message}" in caught.value.message
    assert hint in caught.value.hint


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "ffncalc.toml").write_text("tp = \n")
    with pytest.raises(UsageError, match=r"ffncalc\.toml: cannot be read"):
        for_file(tmp_path / "config.json")


@pytest.mark.parametrize(
    ("select", "ignore", "wanted"),
    [
        (("ALL",), (), True),
        (("ALL",), ("S",), False),
        (("ALL",), ("S002",), False),
        (("S002",), ("S",), True),
        (("S",), ("S00",), False),
        (("F",), (), False),
        (("ALL",), ("ALL",), False),
    ],
)
def test_the_longer_of_two_codes_counts(select: tuple[str, ...], ignore: tuple[str, ...], wanted: bool) -> None:
    assert Settings(select=select, ignore=ignore).wants("S002", "config.json") is wanted


@pytest.mark.parametrize(
    ("pattern", "path", "hit"),
    [
        ("drafts/*", "drafts/a/config.json", True),
        ("drafts/*", "models/drafts/a.json", True),
        ("drafts/*", "models/config.json", False),
        ("config.json", "models/config.json", True),
        ("models/a.json", "models/a.json", True),
    ],
)
def test_patterns_mean_paths_and_names(tmp_path: Path, pattern: str, path: str, hit: bool) -> None:
    assert Settings(root=tmp_path.resolve()).matches(str(tmp_path / path), pattern) is hit


def test_options_replace_settings() -> None:
    assert DEFAULT.with_options(tp=4, ep=None).tp == 4
