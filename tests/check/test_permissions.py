"""`check` where files and folders may not be read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ffncalc.checks.lock_file import NAME
from tests.check.test_check_cli import BAD, folder, lay
from tests.command import Ran

__all__ = ["folder"]  # a fixture

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
needs_permissions = pytest.mark.skipif(
    sys.platform == "win32" or (ROOT and shutil.which("setpriv") is None), reason="needs a user whom permissions bind"
)


def bound(*args: str) -> Ran:
    """The program in a process of its own, which permissions bind even if root runs it."""
    without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if ROOT else []
    command = [*without, sys.executable, "-m", "ffncalc", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


@needs_permissions
def test_2_for_a_file_that_may_not_be_read(folder: Path) -> None:
    lay(folder, {"a/config.json": BAD, "b/config.json": BAD})
    (folder / "a/config.json").chmod(0)
    code, out, err = bound("check", ".", "--select", "S002")
    assert (code, err) == (2, "error: ./a/config.json: cannot be read (Permission denied)\n")
    assert out.endswith("1 error in 1 file, 1 not checked\n")


@needs_permissions
def test_2_for_a_folder_that_may_not_be_read_and_the_others_are_checked(folder: Path) -> None:
    lay(folder, {"a/config.json": BAD, "a/b/config.json": BAD, "c/config.json": BAD})
    (folder / "a/b").chmod(0)
    code, out, err = bound("check", ".", "a/b", "--select", "S002")
    (folder / "a/b").chmod(0o700)
    assert code == 2
    assert err.splitlines() == [
        "error: ./a/b: cannot be read (Permission denied)",
        "error: a/b: cannot be read (Permission denied)",
    ]
    assert out.endswith("2 errors in 2 files, 2 not checked\n")


@needs_permissions
def test_2_for_a_lock_file_that_may_not_be_read_which_is_said_once(folder: Path) -> None:
    lay(folder, {"a/config.json": BAD, "b/config.json": BAD, NAME: "{}"})
    (folder / NAME).chmod(0)
    for args in (("check", "."), ("check", "a", "b"), ("check", "a/config.json"), ("lock", ".")):
        code, _, err = bound(*args)
        assert code == 2
        assert [line.removeprefix("error: ./").removeprefix("error: ") for line in err.splitlines()] == [
            f"{NAME}: cannot be read (Permission denied)"
        ]
    assert bound("check", ".", "--select", "S002").out.endswith("2 errors in 2 files\n")
