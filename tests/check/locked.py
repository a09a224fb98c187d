"""A model whose lock is known by hand, and what `check` says of locks."""

from __future__ import annotations

import json
from typing import Any

from ffncalc.checks import lock_file
from ffncalc.checks.settings import for_folder
from tests.command import Here
from tests.repository import TOTAL

ENTRY: dict[str, Any] = {  # of TINY, by hand: see tests/repository.py; one key and one value of 8 are kept per token
    "active": TOTAL,
    "by_category": {"attention": 256, "embedding": 80, "ffn": 384, "head": 80, "norm": 24},
    "crossover": 24,  # 2 × 384 FLOPs in the FFN, 32 per key
    "kv_elements_per_token": 16,
    "total": TOTAL,
}
WIDER = "parameters 824 → 1,208 (+384); of them ffn +384; crossover 24 → 48 (+24)"


def forget() -> None:
    for_folder.cache_clear()
    lock_file._nearest.cache_clear()


def held(run: Here, *args: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Exit code and (file, code, message) of the findings about locks."""
    forget()
    code, out, err = run("check", *args, "--select", "L", "--format", "json")
    assert err == ""
    found = json.loads(out)["findings"]
    return code, [(each["path"].replace("\\", "/"), each["rule"], each["message"]) for each in found]
