"""The processes of `check` end with it, and say nothing when it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.check.configs import LLAMA, changed, config

if sys.platform == "win32":
    pytest.skip("needs POSIX signals", allow_module_level=True)

FILES = 1_500  # findings of more bytes than a pipe holds
STARTED = b"00000.json:1:"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many files with a finding each."""
    folder = tmp_path_factory.mktemp("many")
    text = json.dumps(changed(config(LLAMA), {"num_key_value_heads": 7}))
    for i in range(FILES):
        (folder / f"{i:05}.json").write_text(text)
    return folder


@pytest.fixture
def running(many: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run of its own session that has written something; nobody reads the rest, so that it cannot end."""
    command = [sys.executable, "-u", "-m", "ffncalc", "check", ".", "--select", "S002", "--jobs", "2"]
    run = subprocess.Popen(
        command, cwd=many, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, bufsize=0
    )
    assert run.stdout
    assert STARTED in os.read(run.stdout.fileno(), 100)
    time.sleep(0.3)
    assert run.poll() is None
    yield run
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    for stream in (run.stdout, run.stderr):
        if stream:
            stream.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_end_when_only_their_parent_is_killed(running: subprocess.Popen[bytes], number: signal.Signals) -> None:
    running.send_signal(number)
    assert running.wait(10) == -number
    _, err = running.communicate(timeout=10)  # comes when no process holds an end of the two pipes
    assert err == b""


def test_an_interrupt_is_silent_though_nobody_reads(running: subprocess.Popen[bytes]) -> None:
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    assert running.wait(10) == 130
    _, err = running.communicate(timeout=10)
    assert err == b""
