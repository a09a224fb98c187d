"""REV:PATH names a config at a revision of the repository that one stands in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import ffncalc
from ffncalc import source
from ffncalc.errors import FfncalcError, FileError, NotFound, SourceError, UsageError
from ffncalc.source import reference
from tests.repository import TINY, TOTAL, commit, git, save

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, and a change that is not committed."""
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "models/tiny/config.json")
    commit(tmp_path)
    save(tmp_path / "models/tiny/config.json", intermediate_size=17)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "revision", "path"),
    [
        ("HEAD:config.json", "HEAD", "config.json"),
        ("HEAD~1:./config.json", "HEAD~1", "./config.json"),
        ("origin/main:models/a", "origin/main", "models/a"),
        (":config.json", "", "config.json"),
        ("c:config.json", "c", "config.json"),
        ("main@{1}:x/Y.JSON", "main@{1}", "x/Y.JSON"),
    ],
)
def test_a_colon_before_a_path_names_a_revision(text: str, revision: str, path: str) -> None:
    assert reference.parse(text).git == (revision, path)


def test_the_tag_of_a_quantised_file_and_a_drive_are_no_revisions() -> None:
    with pytest.raises(UsageError, match="quantised"):
        reference.parse("org/name:Q4_K_M")
    for path in (r"C:\models\config.json", "C:/models/config.json"):
        with pytest.raises(NotFound, match="no such file or folder"):
            reference.parse(path)


def test_a_file_of_that_name_comes_first(here: Path) -> None:
    save(here / "HEAD:config.json", intermediate_size=18)
    assert source.load("HEAD:config.json").origin.source == "file"


@pytest.mark.parametrize("ref", ["HEAD:models/tiny/config.json", "main:models/tiny", "main:models/tiny/"])
def test_the_committed_file_is_read(here: Path, ref: str) -> None:
    loaded = source.load(ref)
    assert loaded.raw == TINY
    assert loaded.origin.source == "git"
    assert loaded.origin.revision == git(here, "rev-parse", "HEAD")
    assert loaded.origin.path == "models/tiny/config.json"
    assert ffncalc.params(ffncalc.load(ref)).total == TOTAL


def test_paths_start_at_the_top_or_with_a_dot_at_the_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here / "models")
    assert source.load("HEAD:models/tiny/config.json").raw == source.load("HEAD:./tiny/config.json").raw == TINY


def test_the_index_holds_what_is_staged(here: Path) -> None:
    git(here, "add", "--all")
    save(here / "models/tiny/config.json", intermediate_size=18)
    assert source.load(":models/tiny/config.json").raw["intermediate_size"] == 17


def test_a_link_in_the_repository_is_followed(here: Path) -> None:
    os.symlink("models/tiny/config.json", here / "current.json")
    os.symlink("nowhere.json", here / "broken.json")
    commit(here)
    assert source.load("HEAD:current.json").raw["intermediate_size"] == 17
    with pytest.raises(FileError, match="link that leads nowhere"):
        source.load("HEAD:broken.json")


def test_text_filters_of_the_repository_do_not_run(here: Path) -> None:
    (here / ".gitattributes").write_text("*.json diff=evil\n")
    git(here, "config", "diff.evil.textconv", f"touch {here / 'ran'}; echo {{}};")
    commit(here)
    assert source.load("HEAD:models/tiny/config.json").raw["model_type"] == "llama"
    assert not (here / "ran").exists()


@pytest.mark.parametrize(
    ("ref", "error", "words"),
    [
        ("HEAD:models/none.json", NotFound, "no such file in HEAD"),
        (":models/none.json", NotFound, "no such file in the index"),
        ("HEAD:models", UsageError, "quantised"),  # without a slash or an ending it reads as a tag
        ("HEAD:models/", NotFound, "no such file in HEAD"),
        ("HEAD~7:models/tiny/config.json", NotFound, "git knows no revision 'HEAD~7'"),
        ("no-such-branch:config.json", NotFound, "git knows no revision"),
        ("--all:config.json", UsageError, "not the name of a revision"),
        ("HEAD:../../etc/x.json", SourceError, "outside repository"),
    ],
)
def test_what_is_not_there_is_named(here: Path, ref: str, error: type[FfncalcError], words: str) -> None:
    with pytest.raises(error, match=words):
        source.load(ref)


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for ref in ("HEAD:config.json", ":config.json"):
        with pytest.raises(SourceError, match="in no git repository"):
            source.load(ref)


def test_a_machine_without_git_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(here))
    with pytest.raises(SourceError, match="git is not installed"):
        source.load("HEAD:models/tiny/config.json")


def test_a_file_that_is_no_config_is_refused_like_any_other(here: Path) -> None:
    (here / "lfs.json").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
    (here / "long.json").write_text('{"a": "' + "x" * (9 * 2**20) + '"}')
    commit(here)
    with pytest.raises(FileError, match="Git LFS pointer"):
        source.load("HEAD:lfs.json")
    with pytest.raises(FileError, match="longer than 8 MB"):
        source.load("HEAD:long.json")
