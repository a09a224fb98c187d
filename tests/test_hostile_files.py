"""Files that nobody writes by hand: thousands of unknown keys, pipes in folders, values of great length."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
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
@pytest.mark.parametrize(
    "args", [["check"], ["params"], ["ffn"], ["lock", "--folder", "/"], ["diff", LLAMA]], ids=" ".join
)
def test_what_is_no_file_is_refused_at_once(args: list[str], tmp_path: Path) -> None:
    pipe, address = tmp_path / "pipe.json", tmp_path / "socket"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(address))
        for path, kind in ((pipe, "a pipe"), (address, "a socket"), (Path("/dev/zero"), "a device")):
            done = run(*args, str(path))
            assert (done.returncode, done.stdout) == (2, "") or args[0] == "lock"
            assert f"{path}: is no regular file but {kind}\n" in done.stderr


def substituted(line: str) -> subprocess.CompletedProcess[str]:
    """A line of bash, where `$program` is ffncalc and `$good` and `$bad` hold configs."""
    texts = {"good": json.dumps(config(LLAMA)), "bad": json.dumps(changed(config(LLAMA), {"num_key_value_heads": 7}))}
    return subprocess.run(
        ["bash", "-c", line],
        env=os.environ | texts | {"program": f"{sys.executable} -m ffncalc"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


needs_descriptors = pytest.mark.skipif(
    not os.path.exists("/dev/fd") or shutil.which("bash") is None, reason="needs bash and /dev/fd"
)


@needs_descriptors
@pytest.mark.parametrize(
    "line",
    [
        '$program params <(echo "$good") --format csv',
        'echo "$good" | $program params /dev/stdin --format csv',
        'echo "$good" | $program params /dev/fd/0 --format csv',
        '$program params /proc/self/fd/7 --format csv 7< <(echo "$good")',
        '$program params /dev/fd/7 --format csv 7<<< "$good"',
    ],
)
def test_what_a_shell_substitutes_is_read(line: str) -> None:
    if "/proc/" in line and not os.path.exists("/proc/self/fd"):
        pytest.skip("no /proc here")
    done = substituted(line)
    assert (done.returncode, done.stderr) == (0, "")
    assert ",8030261248," in done.stdout


@needs_descriptors
@pytest.mark.parametrize("ref", ["-", "/dev/stdin", "/dev/fd/7"])
def test_a_stream_is_checked_beside_many_files(ref: str, tmp_path: Path) -> None:
    for i in range(300):  # enough for processes of their own, which do not have the stream
        (tmp_path / f"{i}.json").write_text(json.dumps(config(LLAMA)))
    done = substituted(f'$program check --select S002 {tmp_path} {ref} --jobs 2 0<<< "$bad" 7<<< "$bad"')
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(f"{ref}:1:")
    assert done.stdout.endswith("1 error in 301 files\n")


@needs_descriptors
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("$program params <(yes)", "longer than 8 MB"),
        ("$program params <(true)", "the file is empty"),
        ("$program params /dev/fd/99", "/dev/fd/99: no such file or folder"),
        ("$program params - <&-", "stdin: is closed"),
        ("$program check /dev/stdin <&-", "stdin: is closed"),
        ('$program diff /dev/stdin - <<< "$good"', "standard input can be only one of the two"),
    ],
)
def test_a_stream_that_gives_no_config_is_an_error(line: str, error: str) -> None:
    done = substituted(line)
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any name")
def test_a_lock_file_holds_only_names_that_mean_the_same_everywhere(tmp_path: Path) -> None:
    names = ['a\nb".json', "ü \x1b[31m.json", "c:d.json", "x\\y.json", os.fsdecode(b"\xff.json")]
    for name in names:
        (tmp_path / name).write_text(json.dumps(config(LLAMA)))
    done = run("lock", str(tmp_path), "--folder", str(tmp_path))
    assert done.returncode == 2
    assert [line for line in done.stdout.splitlines() if line.startswith("added")] == [
        'added a\\nb".json: 8,030,261,248 parameters',
        "added ü \\x1b[31m.json: 8,030,261,248 parameters",
    ]
    errors = [line.rpartition("/")[2] for line in done.stderr.splitlines() if line.startswith("error")]
    assert errors == [
        f"{name}: the lock file cannot hold this name" for name in ("c:d.json", "x\\y.json", "\\udcff.json")
    ]
    again = run("lock", "--check", "--folder", str(tmp_path))
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any name")
@pytest.mark.parametrize(
    "name", ["a\nb\"'.json", "tab\tesc\x1b[31m.json", "c:d,e%.json", os.fsdecode(b"\xff.json")], ids=repr
)
def test_a_file_of_any_name_is_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(json.dumps(config(LLAMA)))
    for format in ("table", "json", "csv", "markdown"):
        done = run("params", str(tmp_path / name), "--format", format)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\x1b" not in done.stdout or format == "csv"  # which holds the name as it is


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
