"""Files that nobody writes by hand: thousands of unknown keys, pipes in folders, values of great length."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import ffncalc
from ffncalc.checks import known
from ffncalc.errors import FfncalcError
from tests.check.configs import LLAMA, changed, config

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """A command line in a process of its own, which is ended when it hangs."""
    return subprocess.run(
        [sys.executable, "-m", "ffncalc", *args], capture_output=True, text=True, timeout=60, check=False
    )


def test_unknown_keys_are_cheap_and_the_rest_is_said_to_be_left_out() -> None:
    many = {f"num_hiden_key_{i}": 1 for i in range(50_000)}
    start = time.process_time()
    found = ffncalc.check(changed(config(LLAMA), many), select=["F008"]).findings
    assert time.process_time() - start < 8
    assert [f.message for f in found] == ["50,000 keys are unknown, of which only the first 1,000 were looked at"]


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("intermedate_size", "intermediate_size"),
        ("intermediate_sizes", "intermediate_size"),
        ("hidden_szie", "hidden_size"),
        ("Hidden_sise", "hidden_size"),
    ],
)
def test_near_keys_are_still_found(key: str, meant: str) -> None:
    assert known.near(key, "llama")[:1] == (meant,)


@needs_pipes
def test_pipes_in_a_folder_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    os.mkfifo(tmp_path / "other.json")
    params = run("params", str(tmp_path))
    assert "config.json: is no regular file" in params.stderr
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps(config(LLAMA)))
    assert "in 1 file" in run("check", str(tmp_path)).stdout


@needs_pipes
@pytest.mark.parametrize("command", ["check", "params"])
def test_a_pipe_given_by_name_is_read(command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(json.dumps(config(LLAMA)),), daemon=True)
    writer.start()
    done = run(command, str(pipe))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("key", ["model_type", "hidden_act", "torch_dtype", "hidden_size", "layer_types"])
def test_a_very_long_value_is_shown_briefly(key: str) -> None:
    long = "x" * 100_000
    raw = changed(config(LLAMA), {key: [long] if key == "layer_types" else long})
    findings = ffncalc.check(raw).findings
    assert findings
    assert max(len(f.message) + len(f.hint) for f in findings) < 600
    if key in ("model_type", "hidden_size"):
        with pytest.raises(FfncalcError) as caught:
            ffncalc.load(raw)
        assert len(str(caught.value)) < 400
