"""Speed of `check`: files per second, memory, and how both grow with the number of files.

Not run by default, since it takes a minute:

    FFNCALC_BENCHMARK=1 pytest tests/check/test_speed.py -s

The files are bundled configs, in a folder each; every run is a process of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ffncalc.source import bundled

pytestmark = pytest.mark.skipif(not os.environ.get("FFNCALC_BENCHMARK"), reason="FFNCALC_BENCHMARK is not set")

MEASURE = """
import resource, sys, time
from ffncalc.__main__ import main
start = time.perf_counter()
code = main()
taken = time.perf_counter() - start
peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(f"code {code} seconds {taken:.2f} peak {peak / 1024:.0f}", file=sys.stderr)
"""


def lay(folder: Path, count: int) -> None:
    """`count` copies of bundled configs."""
    paths = [path for _, path in bundled.entries()]
    for i in range(count):
        target = folder / f"{i:05}"
        target.mkdir()
        (target / "config.json").write_bytes(paths[i % len(paths)].read_bytes())


def measured(folder: Path, *options: str) -> tuple[float, float]:
    """Seconds and megabytes (of the largest process) of one run."""
    command = [sys.executable, "-c", MEASURE, "check", str(folder), *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    match = re.search(r"code 0 seconds ([\d.]+) peak (\d+)", done.stderr)
    assert match, done.stderr
    return float(match[1]), float(match[2])


def test_ten_thousand_files(tmp_path: Path) -> None:
    start = time.perf_counter()
    sizes = (1_000, 10_000)
    results = {}
    for size in sizes:
        folder = tmp_path / str(size)
        folder.mkdir()
        lay(folder, size)
        for jobs in ("1", "2"):
            seconds, peak = results[size, jobs] = measured(folder, "--jobs", jobs)
            print(f"\n{size:,} files, {jobs} processes: {size / seconds:,.0f} files/s, peak {peak:.0f} MB", end="")
    print(f"\nin {time.perf_counter() - start:.0f} s")
    for jobs in ("1", "2"):
        assert results[10_000, jobs][0] < 15 * results[1_000, jobs][0]
        assert results[10_000, jobs][1] < 1.25 * results[1_000, jobs][1]
