"""ffncalc lock: what it writes, and where."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ffncalc.checks.lock_file import NAME
from tests.check.locked import ENTRY, WIDER, forget, held
from tests.command import Here
from tests.repository import TOTAL, commit, git, save


class TestWriting:
    def test_one_block_per_file_sorted(self, run: Here, here: Path) -> None:
        code, out, err = run("lock", "models")
        assert (code, err) == (0, "")
        assert out == (
            f"added models/a/config.json: {TOTAL} parameters\nadded models/b.json: 1,480 parameters\n"
            "ffncalc.lock.json: 2 files locked\n"
        )
        text = (here / NAME).read_text()
        data = json.loads(text)
        assert data["schema_version"] == 1
        assert list(data["files"]) == ["models/a/config.json", "models/b.json"]
        digest = data["files"]["models/a/config.json"].pop("digest")
        assert data["files"]["models/a/config.json"] == ENTRY
        assert len(digest) == 32
        assert text.endswith("}\n")
        assert text.count("\n") == 2 * 14 + 5  # a number per line

    def test_the_order_of_the_arguments_does_not_matter(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json", "models/a")
        first = (here / NAME).read_bytes()
        (here / NAME).unlink()
        run("lock", "models/a/config.json")
        run("lock", "models/*.json")
        assert (here / NAME).read_bytes() == first

    def test_a_file_that_is_up_to_date_is_not_touched(self, run: Here, here: Path) -> None:
        run("lock", "models")
        os.utime(here / NAME, ns=(1, 1))
        assert run("lock", "models").out == "ffncalc.lock.json: 2 files locked, nothing changed\n"
        assert (here / NAME).stat().st_mtime_ns == 1

    def test_changes_are_shown_and_other_files_stay(self, run: Here, here: Path) -> None:
        run("lock", "models")
        save(here / "models/a/config.json", intermediate_size=32)
        (here / "models/b.json").unlink()
        save(here / "models/c.json")
        assert run("lock", "models/c.json").out == (
            "added models/c.json: 824 parameters\nremoved models/b.json\nffncalc.lock.json: 2 files locked\n"
        )
        assert run("lock").out == f"changed models/a/config.json: {WIDER}\nffncalc.lock.json: 2 files locked\n"

    def test_a_file_that_cannot_be_counted_is_named_and_keeps_its_entry(self, run: Here, here: Path) -> None:
        run("lock", "models")
        before = (here / NAME).read_bytes()
        save(here / "models/b.json", hidden_size=-1)
        save(here / "models/c.json", model_type="lama", architectures=None)
        code, _, err = run("lock", "models", "gone.json")
        assert code == 2
        assert "models/b.json: not a valid llama config: hidden_size" in err.replace("\\", "/")
        assert "models/c.json: model_type 'lama' is not supported" in err.replace("\\", "/")
        assert "gone.json: no such file" in err
        assert (here / NAME).read_bytes() == before

    def test_line_endings_stay(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        (here / NAME).write_bytes((here / NAME).read_bytes().replace(b"\n", b"\r\n"))
        assert run("lock", "models/b.json").out.endswith("nothing changed\n")
        run("lock", "models")
        data = (here / NAME).read_bytes()
        assert b"models/a/config.json" in data
        assert data.count(b"\r\n") == data.count(b"\n") > 30
        assert held(run, "models") == (0, [])

    def test_branches_that_lock_different_files_merge(self, run: Here, here: Path) -> None:
        if shutil.which("git") is None:
            pytest.skip("needs git")
        for name in ("a", "m", "z"):
            save(here / f"models/{name}.json")
        run("lock", "models/a.json", "models/m.json", "models/z.json")
        commit(here)
        for branch, name in (("one", "c"), ("two", "p")):
            git(here, "checkout", "-q", "-b", branch, "main")
            save(here / f"models/{name}.json")
            run("lock", f"models/{name}.json")
            commit(here)
        git(here, "merge", "-q", "-m", "both", "one")
        assert run("lock", "--check").out == "ffncalc.lock.json is up to date\n"
        assert len(json.loads((here / NAME).read_text())["files"]) == 5

    def test_the_nearest_lock_file_above_is_used(self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run("lock", "models")
        monkeypatch.chdir(here / "models/a")
        save(here / "models/a/config.json", intermediate_size=32)
        out = run("lock", "config.json").out.replace("\\", "/")
        assert out == f"changed models/a/config.json: {WIDER}\n../../ffncalc.lock.json: 2 files locked\n"
        assert not (here / "models/a" / NAME).exists()

    def test_folder_says_where(self, run: Here, here: Path) -> None:
        assert run("lock", "models", "--folder", "models").code == 0
        assert list(json.loads((here / "models" / NAME).read_text())["files"]) == ["a/config.json", "b.json"]
        assert run("lock", "models", "--folder", "none").err == "error: --folder none: no such folder\n"

    def test_files_outside_its_folder_are_refused(self, run: Here, here: Path) -> None:
        code, _, err = run("lock", "models", "--folder", "models/a")
        assert code == 2
        assert "lies outside" in err
        assert "--folder" in err
        assert not (here / "models/a" / NAME).exists()

    @pytest.mark.parametrize("ref", ["-", "meta-llama/Llama-3.1-8B"])
    def test_only_files_can_be_locked(self, run: Here, here: Path, ref: str) -> None:
        assert run("lock", ref).err.startswith(f"error: {ref}: only files can be locked")

    def test_nothing_to_lock(self, run: Here, here: Path) -> None:
        assert "locks nothing yet, and no file was named" in run("lock").err
        (here / "empty").mkdir()
        assert run("lock", "empty").err == "error: no model config in empty\n"
        Path("empty/adapter_config.json").write_text('{"peft_type": "LORA", "base_model_name_or_path": "org/base"}')
        assert "adapter" in run("lock", "empty").err
        assert not (here / NAME).exists()


@contextlib.contextmanager
def powerless() -> Iterator[None]:
    """Without the rights of root, which no folder can refuse."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions and links")
class TestFileSystem:
    def test_a_read_only_folder_is_named_and_nothing_is_left(self, run: Here, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = Path(tempfile.mkdtemp())
        try:
            save(folder / "config.json")
            folder.chmod(0o555)
            monkeypatch.chdir(folder)
            forget()
            with powerless():
                code, _, err = run("lock", "config.json")
            assert code == 2
            assert err == f"error: {NAME}: cannot be written (Permission denied)\n"
            assert os.listdir(folder) == ["config.json"]
        finally:
            folder.chmod(0o755)
            shutil.rmtree(folder)

    def test_a_failure_leaves_the_old_file(self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run("lock", "models/b.json")
        before = (here / NAME).read_bytes()

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", fail)
        code, _, err = run("lock", "models")
        assert (code, "No space left on device" in err) == (2, True)
        assert (here / NAME).read_bytes() == before
        assert sorted(os.listdir(here)) == [NAME, "models"]

    def test_permissions_stay(self, run: Here, here: Path) -> None:
        run("lock", "models/b.json")
        mask = os.umask(0)
        os.umask(mask)
        assert stat.S_IMODE((here / NAME).stat().st_mode) == 0o666 & ~mask
        (here / NAME).chmod(0o640)
        run("lock", "models")
        assert stat.S_IMODE((here / NAME).stat().st_mode) == 0o640

    def test_a_lock_file_that_is_a_link_stays_one(self, run: Here, here: Path) -> None:
        (here / "real.json").write_text('{"files": {}, "schema_version": 1}')
        (here / NAME).symlink_to("real.json")
        run("lock", "models")
        assert (here / NAME).is_symlink()
        assert len(json.loads((here / "real.json").read_text())["files"]) == 2

    def test_a_linked_config_is_locked_under_its_own_name(self, run: Here, here: Path) -> None:
        (here / "current.json").symlink_to("models/b.json")
        run("lock", "current.json")
        assert list(json.loads((here / NAME).read_text())["files"]) == ["current.json"]
        assert held(run, "current.json") == (0, [])
        save(here / "models/c.json", num_hidden_layers=3)
        (here / "current.json").unlink()
        (here / "current.json").symlink_to("models/c.json")
        code, ((path, rule, message),) = held(run, "current.json")
        assert (code, path, rule) == (1, "current.json", "L001")
        assert message.startswith("not as locked: parameters 1,480 → 2,136 (+656)")

    def test_a_folder_may_be_reached_through_a_link(
        self, run: Here, here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        run("lock", "models")
        other = tmp_path_factory.mktemp("other")
        (other / "way").symlink_to(here)
        monkeypatch.chdir(other)
        assert held(run, "way/models") == (0, [])
        assert run("lock", "way/models", "--folder", str(here)).out.endswith("nothing changed\n")
