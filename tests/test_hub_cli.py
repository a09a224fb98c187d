"""The program against the Hub, as a process: what it prints where, how long it takes, and its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import fake_hub
from tests.fake_hub import TOTAL, Hub

SECRET = "hf_abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def server() -> Iterator[Hub]:
    with fake_hub.running() as running:
        running.add("org/name")
        yield running


@pytest.fixture
def env(server: Hub, tmp_path: Path) -> dict[str, str]:
    """An environment with an empty cache, a token, and this Hub."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING", "FFNCALC_"))}
    return kept | {"HF_HOME": str(tmp_path / "home"), "HF_ENDPOINT": server.url, "HF_TOKEN": SECRET, "COLUMNS": "200"}


def run(env: dict[str, str], *args: str, command: str = "params") -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-W", "error", "-m", "ffncalc", command, *args]
    return subprocess.run(line, env=env, capture_output=True, text=True, timeout=30, check=False)


def test_found_then_cached_then_offline(env: dict[str, str], server: Hub) -> None:
    first = run(env, "org/name", "--format", "json")
    assert (first.returncode, first.stderr) == (0, "")
    model = json.loads(first.stdout)["models"][0]
    assert model["params"]["total"] == TOTAL
    assert (model["model"]["source"], model["model"]["revision"]) == ("hub", fake_hub.COMMIT)
    offline = run(env | {"HF_HUB_OFFLINE": "1"}, "org/name")
    assert (offline.returncode, offline.stderr) == (0, "")
    assert "cache @ 0e9e39f" in offline.stdout
    assert server.tokens == [f"Bearer {SECRET}"]


FAULTS = {
    "private": "not found on the Hub, or private",
    "gated": "gated, and your token was not accepted",
    "gated_pending": "gated, and your account has no access",
    "bad_token": "token was not accepted",
    "busy": "too many requests (429)",
    "broken": "500 (Internal Server Error)",
    "portal": "which the Hub does not",
    "truncated": "the answer broke off",
    "silent": "did not answer within 3 s",
    "trickle": "did not answer within 5 s",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_short_clean_and_in_time(env: dict[str, str], server: Hub, fault: str) -> None:
    server.repos["org/name"].fault = fault
    start = time.monotonic()
    done = run(env, "org/name")
    assert time.monotonic() - start < 10
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert 1 <= len(lines) <= 4
    assert lines[0].startswith("error: ")
    assert FAULTS[fault] in lines[0]
    assert SECRET not in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["org/none"], "org/none: not found on the Hub"),
        (["org/name@v9"], "org/name: no revision 'v9'"),
        (["org/name", "--offline"], "not in the cache"),
        (["org/name:Q4_K_M"], "tag of a quantised file"),
        (["./config.json"], "no such file or folder"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_cannot_be_had_is_one_error(env: dict[str, str], args: list[str], message: str) -> None:
    done = run(env, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


def test_a_refused_connection_is_one_error(env: dict[str, str]) -> None:
    done = run(env | {"HF_ENDPOINT": "http://127.0.0.1:9"}, "org/name")  # the discard port: nobody listens
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be reached" in done.stderr


def test_the_traceback_for_developers_has_no_token(env: dict[str, str], server: Hub) -> None:
    server.repos["org/name"].fault = "gated"
    done = run(env | {"FFNCALC_DEBUG": "1"}, "org/name")
    assert "Traceback" in done.stderr
    assert SECRET not in done.stderr + done.stdout


def test_one_that_fails_does_not_lose_the_others(env: dict[str, str]) -> None:
    done = run(env, "org/none", "org/name", "--format", "json")
    assert done.returncode == 2
    failed, found = json.loads(done.stdout)["models"]
    assert failed["error"]["kind"] == "not_found"
    assert found["params"]["total"] == TOTAL


@pytest.mark.parametrize("fault", ["", "broken"])
@pytest.mark.parametrize("command", ["params", "check", "diff", "parallel"])
def test_no_secret_of_an_address_is_shown(env: dict[str, str], server: Hub, command: str, fault: str) -> None:
    server.repos["org/name"].fault = fault
    address = server.url.replace("://", f"://user:{SECRET}@") + f"/org/name/blob/main/config.json?token={SECRET}"
    others = ["openai-community/gpt2"] if command == "diff" else []
    for more in ([], ["--format", "json"]):
        done = run(env, address, *others, *more, command=command)
        assert done.returncode == (2 if fault else 0)
        assert SECRET not in done.stdout + done.stderr
        assert "org/name" in done.stdout + done.stderr
