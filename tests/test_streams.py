"""Where results go: readers that leave, full disks, and terminals that have ASCII only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import apart

MANY = [["--help"], ["--version"], ["params", "--help"], ["diff", "gpt2", "gpt2"], ["params", "--layers"]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
@pytest.mark.parametrize("args", MANY, ids=" ".join)
def test_nobody_reading_is_not_the_exit_code_of_findings(args: list[str]) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "ffncalc", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    with child.stderr:
        err = child.stderr.read()
    assert (child.wait(timeout=60), err) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("args", MANY, ids=" ".join)
def test_a_full_disk_is_no_bug(args: list[str]) -> None:
    ran = apart(*args, shell=">/dev/full")
    assert (ran.code, ran.err) == (2, "error: cannot write the result: No space left on device\n")


def test_products_stay_products_in_ascii() -> None:
    ran = apart("ffn", "openai/gpt-oss-20b", env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert "z * sigma(1.702 * z)" in ran.out
