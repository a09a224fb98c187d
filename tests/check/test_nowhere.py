"""`check` and `lock` where there is no file to look at: mistyped names, no network, deep or deleted folders, loops."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ffncalc.checks.discovery import DEEPEST
from ffncalc.checks.lock_file import NAME
from tests.check.configs import LLAMA
from tests.check.locked import forget
from tests.check.test_check_cli import BAD, folder, lay
from tests.command import Here, apart

__all__ = ["folder"]  # a fixture

NOBODY = {"HF_ENDPOINT": "http://127.0.0.1:9"}


@pytest.mark.parametrize(
    ("ref", "may_be_path"), [("modles", True), ("models/gone", True), ("org/name", False), ("org/name@main", False)]
)
def test_a_name_that_nothing_has_and_no_network(folder: Path, ref: str, may_be_path: bool) -> None:
    pytest.importorskip("huggingface_hub")
    lay(folder, {"models/config.json": BAD})
    code, out, err = apart("check", ref, env=NOBODY)
    assert (code, out) == (2, "")
    message, hint = err.splitlines()
    assert message.startswith(f"error: {ref}: http://127.0.0.1:9 cannot be reached: ")
    assert message.endswith(f"; nor is there a file or folder {ref}") is may_be_path
    assert hint == "hint: Files and bundled configs need no network; `ffncalc models` lists those."


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
class TestLinks:
    def test_that_lead_nowhere_or_to_themselves_are_files(self, run: Here, folder: Path) -> None:
        (folder / "loop").symlink_to("loop")
        (folder / "gone").symlink_to("nowhere")
        for name, said in (("loop", "cannot be read (Too many levels of symbolic links)"), ("gone", "no such file")):
            assert run("check", name) == (2, "", f"error: {name}: {said}\n")
            code, _, err = run("lock", name)
            assert (code, err.startswith(f"error: {name}: ")) == (2, True)
            assert "bug" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="paths are not so long")
class TestDepth:
    @pytest.fixture
    def deep(self, folder: Path) -> Iterator[Path]:
        """A folder with a broken config beside 1,500 nested folders, which are too many for shutil to remove."""
        lay(folder, {"top/z.json": BAD})
        os.chdir("top")
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(folder)
        yield folder
        os.chdir(folder / "top" / ("d/" * 1500))
        for _ in range(1500):
            os.chdir("..")
            os.rmdir("d")

    def test_is_limited_and_the_rest_is_checked(self, run: Here, deep: Path) -> None:
        code, out, err = run("check", "top", "--select", "S002", "-f", "json")
        below = "top" + DEEPEST * "/d"
        message = f"{below}: lies 100 folders below top, and is not looked into"
        assert (code, err) == (2, f"error: {message}\nhint: Name it to check it.\n")
        assert [each["path"] for each in json.loads(out)["findings"]] == ["top/z.json"]
        assert json.loads(out)["failures"][0]["message"] == message
        os.remove("top/z.json")
        assert message in run("check", "top").err
        assert message in run("lock", "top").err

    def test_is_too_much_for_a_pattern(self, run: Here, deep: Path) -> None:
        code, _, err = run("check", "top/**/*.json")
        assert code == 2
        assert err == "error: top/**/*.json: folders are nested too deeply for a pattern\nhint: Give the folder.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be deleted")
class TestDeletedFolder:
    @pytest.fixture
    def gone(self, folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A folder that is there; the current one is not."""
        other = tmp_path_factory.mktemp("other")
        lay(other, {"config.json": BAD})
        forget()
        shutil.rmtree(folder)
        return other

    @pytest.mark.parametrize("args", [("check", "."), ("lock",), ("lock", "."), ("lock", "--check"), ("check", "*")])
    def test_is_said(self, run: Here, gone: Path, args: tuple[str, ...]) -> None:
        code, out, err = run(*args)
        assert (code, out) == (2, "")
        assert "the current folder is no longer there" in err
        assert err.count("\n") == 1

    def test_does_not_matter_for_what_lies_elsewhere(self, run: Here, gone: Path) -> None:
        assert run("check", LLAMA, "--select", "S").out == "No findings in 1 file\n"
        for path in (gone, gone / "config.json"):
            code, out, err = run("check", str(path), "--select", "S002")
            assert (code, err, out.splitlines()[-1]) == (1, "", "1 error in 1 file")
        assert run("lock", str(gone), "--folder", str(gone)).out.endswith(f"{gone / NAME}: 1 file locked\n")
