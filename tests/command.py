"""Running the program, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

import pytest

from ffncalc.__main__ import main

LLAMA = "meta-llama/Llama-3.1-8B"
DEEPSEEK = "deepseek-ai/DeepSeek-V3"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Here:
    """The program in this process: fast, streams captured, no terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys
        for name in ("FFNCALC_MODEL", "FFNCALC_DEBUG", "COLUMNS", "NO_COLOR"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, *args: str) -> Ran:
        self.monkeypatch.setattr(sys, "argv", ["ffncalc", *args])
        code = main()
        out, err = self.capsys.readouterr()
        return Ran(code, out, err)


def apart(*args: str, env: dict[str, str] | None = None, text: str = "", shell: str = "") -> Ran:
    """The program in a process of its own; `shell` is put behind it on the command line."""
    command = [sys.executable, "-m", "ffncalc", *args]
    clean = {name: value for name, value in os.environ.items() if name not in ("FFNCALC_MODEL", "COLUMNS")}
    done = subprocess.run(
        ["sh", "-c", f'"$@" {shell}', "sh", *command] if shell else command,
        input=text.encode(),
        capture_output=True,
        env=clean | (env or {}),
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
