"""Runs of `ffncalc lock` at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ffncalc.checks import lock_turn, locking
from ffncalc.checks.lock_file import NAME, Lock, LockError
from tests.command import Here
from tests.repository import TOTAL, save

HOLD = """
import sys, time
from pathlib import Path
from ffncalc.checks.lock_turn import turn
with turn(Path(sys.argv[1])):
    print("mine", flush=True)
    time.sleep(60)
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """A process that has the turn of a folder and keeps it."""
    run = subprocess.Popen([sys.executable, "-c", HOLD, str(folder / NAME)], stdout=subprocess.PIPE, text=True)
    assert run.stdout
    assert run.stdout.readline() == "mine\n"
    return run


def end(run: subprocess.Popen[str]) -> None:
    run.kill()
    run.wait(10)
    if run.stdout:
        run.stdout.close()


def test_no_entry_is_lost(tmp_path: Path) -> None:
    names = [f"m{i}/config.json" for i in range(6)]
    for name in names:
        save(tmp_path / name)
    command = [sys.executable, "-m", "ffncalc", "lock"]
    runs = [subprocess.Popen([*command, name], cwd=tmp_path, stdout=subprocess.DEVNULL) for name in names]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert list(json.loads((tmp_path / NAME).read_text())["files"]) == names
    assert sorted(path.name for path in tmp_path.iterdir()) == [NAME, *(f"m{i}" for i in range(6))]


def test_what_another_run_writes_while_files_are_counted_stays(
    here: Path, run: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = locking._count

    def slow(target: object) -> object:
        monkeypatch.setattr(locking, "_count", count)
        assert run("lock", "models/b.json").code == 0
        return count(target)  # type: ignore[arg-type]

    monkeypatch.setattr(locking, "_count", slow)
    assert run("lock", "models/a").out.endswith(f"{NAME}: 2 files locked\n")
    files = json.loads((here / NAME).read_text())["files"]
    assert {name: each["total"] for name, each in files.items()} == {
        "models/a/config.json": TOTAL,
        "models/b.json": TOTAL + 256 + 384 + 16,  # a layer more
    }


def test_a_run_that_does_not_end_is_not_waited_for_for_ever(
    here: Path, run: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_turn, "PATIENCE", 0.2)
    other = holder(here)
    try:
        start = time.monotonic()
        assert run("lock", "models") == (
            2,
            "",
            f"error: {NAME}: another run of `ffncalc lock` holds it for more than 0.2 s\n"
            "hint: Run it again when that one has ended.\n",
        )
        assert time.monotonic() - start < 5
        assert not (here / NAME).exists()
        assert run("lock", "models", "--check").code == 1  # which writes nothing, and waits for nobody
    finally:
        end(other)
    assert run("lock", "models").code == 0  # nothing is left of a run that was killed


def test_an_error_gives_the_turn_back(here: Path) -> None:
    with pytest.raises(LockError), lock_turn.turn(here / NAME):
        raise LockError("x")
    with lock_turn.turn(here / NAME):
        assert locking._read(here / NAME) == Lock(path=here / NAME)
