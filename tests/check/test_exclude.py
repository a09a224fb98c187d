"""What `exclude` leaves out: files that are found, and named ones where that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import ffncalc
from ffncalc.checks.settings import for_folder
from tests.command import Here
from tests.repository import save

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One good config, and broken ones in a folder that is excluded and in a file that is."""
    monkeypatch.chdir(tmp_path)
    settings = 'exclude = ["archive", "drafts/*.json"]\nselect = ["F004"]\n'
    (tmp_path / "pyproject.toml").write_text(f"[tool.ffncalc]\n{settings}")
    save(tmp_path / "models/config.json")
    save(tmp_path / "archive/old/config.json", hidden_size=-1)
    save(tmp_path / "drafts/config.json", hidden_size=-1)
    for_folder.cache_clear()
    return tmp_path


BAD = ["archive/old/config.json", "drafts/config.json"]


@pytest.mark.parametrize("path", [".", "**/config.json", "*/*/config.json", "drafts/*.json", "archive/*"])
def test_what_is_found_in_folders_and_by_patterns_is_left_out(repository: Path, run: Here, path: str) -> None:
    done = run("check", path, "models/config.json")
    assert (done.code, done.out) == (0, "No findings in 1 file\n")


@pytest.mark.parametrize("path", BAD)
def test_a_named_file_is_checked_unless_that_is_switched_off(repository: Path, run: Here, path: str) -> None:
    assert run("check", path).code == 1
    assert run("check", "models/config.json", path, "--force-exclude").out == "No findings in 1 file\n"
    (repository / "pyproject.toml").write_text(
        '[tool.ffncalc]\nexclude = ["archive", "drafts/*.json"]\nforce-exclude = true\n'
    )
    for_folder.cache_clear()
    assert ffncalc.check(path).files == 0


def test_nothing_is_wrong_where_all_that_is_named_is_excluded(repository: Path, run: Here) -> None:
    done = run("check", "--force-exclude", *BAD, "archive")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_file_that_is_not_there_is_still_an_error(repository: Path, run: Here) -> None:
    assert run("check", "--force-exclude", "archive/none.json").code == 2


def test_the_lock_leaves_out_the_same(repository: Path, run: Here) -> None:
    assert run("lock", "models/config.json").code == 0
    assert run("lock", "--check", "--force-exclude", "models/config.json", *BAD).code == 0
    assert run("lock", "--check", "--force-exclude", *BAD).code == 0
    assert run("lock", "--check", *BAD).code == 2


def test_the_hooks_honour_exclude() -> None:
    entries = [line for line in HOOKS.read_text().splitlines() if "entry:" in line]
    assert [line.split("entry: ")[1] for line in entries] == [
        "ffncalc check --force-exclude",
        "ffncalc lock --check --force-exclude",
    ]
