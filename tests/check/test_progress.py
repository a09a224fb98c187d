"""The progress bar of `check`, on a pseudo-terminal that is played here."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.check.configs import LLAMA, changed, config

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import fcntl
import pty
import struct
import termios

FILES = 300
EAGER = """
import sys
from ffncalc.cli import progress
progress.PATIENCE = progress.PERIOD = 0
from ffncalc.__main__ import main
sys.exit(main())
"""
DRAWING = re.compile(r"([━#]*[─-]*)(?:  )?([\d,]+) of ([\d,]+) files")


class Shown(NamedTuple):
    """What a run wrote to stdout and to the terminal, what the terminal shows in the end, and its widest line."""

    code: int
    out: str
    terminal: str
    screen: str
    widest: int


def screen(text: str) -> tuple[str, int]:
    """What a terminal shows after a text with returns and `erase to the end of the line`, and its widest line."""
    lines, at, widest = [""], 0, 0
    for piece in re.findall(r"\r|\n|\x1b\[K|\x1b\[[\d;]*m|[^\r\n\x1b]+", text):
        if piece == "\n":
            lines.append("")
            at = 0
        elif piece == "\r":
            at = 0
        elif piece == "\x1b[K":
            lines[-1] = lines[-1][:at]
        elif not piece.startswith("\x1b"):
            lines[-1] = lines[-1][:at].ljust(at) + piece + lines[-1][at + len(piece) :]
            at += len(piece)
            widest = max(widest, at)
    return "\n".join(lines), widest


def run(
    folder: Path, *args: str, columns: int = 100, out_too: bool = False, env: dict[str, str] | None = None
) -> Shown:
    """Run `check` with stderr, or both streams, on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in ("CI", "COLUMNS", "NO_COLOR")}
    child = subprocess.Popen(
        [sys.executable, "-c", EAGER, "check", str(folder), *args],
        stdout=theirs if out_too else subprocess.PIPE,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env=clean | {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"} | (env or {}),
    )
    os.close(theirs)
    got = {ours: b""} | ({child.stdout.fileno(): b""} if child.stdout else {})
    open_ends = set(got)
    while open_ends:
        ready, _, _ = select.select(list(open_ends), [], [], 60)
        assert ready, "the program hangs"
        for end in ready:
            try:
                data = os.read(end, 65536)
            except OSError:  # how Linux says that nobody writes to a terminal any more
                data = b""
            got[end] += data
            if not data:
                open_ends.remove(end)
    os.close(ours)
    out = got[child.stdout.fileno()].decode() if child.stdout else ""
    if child.stdout:
        child.stdout.close()
    terminal = got[ours].decode()
    return Shown(child.wait(timeout=60), out, terminal, *screen(terminal))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with a good config each, but for the last one."""
    folder = tmp_path_factory.mktemp("many")
    good, bad = config(LLAMA), changed(config(LLAMA), {"num_key_value_heads": 7})
    for i in range(FILES):
        path = folder / f"{i:03}" / "config.json"
        path.parent.mkdir()
        path.write_text(json.dumps(bad if i == FILES - 1 else good))
    return folder


S002 = ("--select", "S002")


@pytest.mark.parametrize(("jobs", "done"), [("1", [*range(1, 301)]), ("2", [64, 128, 192, 256, 300])])
def test_counts_up_and_is_gone_in_the_end(many: Path, jobs: str, done: list[int]) -> None:
    ran = run(many, *S002, "--jobs", jobs)
    drawn = DRAWING.findall(ran.terminal)
    assert {total for *_, total in drawn} == {str(FILES)}
    assert [int(count) for _, count, _ in drawn] == done
    assert drawn[-1][0] == "━" * 30
    assert all(len(bar) == 30 and bar.count("━") == 30 * int(count) // FILES for bar, count, _ in drawn)
    assert ran.screen == ""


def test_counts_files_that_turn_out_to_be_something_else(tmp_path: Path) -> None:
    for i in range(20):
        (tmp_path / f"{i}.json").write_text("[]" if i % 2 else json.dumps(config(LLAMA)))
    ran = run(tmp_path, *S002)
    assert DRAWING.findall(ran.terminal)[-1] == ("━" * 30, "20", "20")
    assert (ran.out, ran.screen) == ("No findings in 10 files\n", "")


def test_leaves_the_result_as_a_pipe_gets_it(many: Path) -> None:
    plain = subprocess.run(
        [sys.executable, "-m", "ffncalc", "check", str(many), *S002], capture_output=True, text=True, check=False
    )
    assert (plain.returncode, plain.stderr) == (1, "")
    ran = run(many, *S002)
    assert (ran.code, ran.out) == (1, plain.stdout)


def test_and_results_share_a_terminal(many: Path) -> None:
    ran = run(many, *S002, out_too=True, columns=400)
    assert DRAWING.search(ran.terminal)
    lines = ran.screen.splitlines()
    assert len(lines) == 3
    assert f"{FILES - 1}/config.json:1:" in lines[0]
    assert lines[1].startswith("  hint: ")
    assert lines[2] == f"1 error in {FILES} files"


def test_an_error_takes_its_place(many: Path) -> None:
    ran = run(many, str(many / "gone.json"), *S002)
    assert ran.code == 2
    assert ran.screen.splitlines() == [f"error: {many / 'gone.json'}: no such file or folder"]


@pytest.mark.parametrize(("columns", "bar"), [(49, "━" * 30), (30, ""), (18, "")])
def test_fits_a_narrow_terminal(many: Path, columns: int, bar: str) -> None:
    # "300 of 300 files" has 16 characters, with the bar before it 48
    ran = run(many, *S002, columns=columns)
    drawn = DRAWING.findall(ran.terminal)
    assert drawn[-1] == (bar, "300", "300")
    assert ran.widest < columns
    assert ran.screen == ""


@pytest.mark.parametrize(
    ("args", "columns", "env"),
    [
        ((), 100, {"CI": "true"}),
        ((), 100, {"TERM": "dumb"}),
        ((), 12, {}),
        (("--format", "json"), 100, {}),
        (("--format", "sarif"), 100, {}),
    ],
    ids=["CI", "dumb", "very narrow", "json", "sarif"],
)
def test_is_not_drawn_where_nobody_looks(many: Path, args: tuple[str, ...], columns: int, env: dict[str, str]) -> None:
    assert run(many, *S002, *args, columns=columns, env=env).terminal == ""


def test_has_plain_characters_where_there_are_no_others(many: Path) -> None:
    drawn = DRAWING.findall(run(many, *S002, env={"PYTHONIOENCODING": "ascii"}).terminal)
    assert drawn[-1][0] == "#" * 30
