"""Random mutations of bundled configs: whatever a file says, it is counted or refused, at once.

    pytest tests/test_mutations.py                          a few hundred
    FFNCALC_MUTATIONS=100000 pytest tests/test_mutations.py the full number; FFNCALC_SEED picks another run

One mutation changes, drops, renames or adds one to three values anywhere in a config. Each number is drawn from the
seed and the index alone, so that a failure can be run again by itself.
"""

from __future__ import annotations

import copy
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from types import FrameType
from typing import Any

import pytest

import ffncalc
from ffncalc.architectures import defaults
from ffncalc.checks.examine import examine
from ffncalc.errors import FfncalcError
from ffncalc.source import bundled

COUNT = int(os.environ.get("FFNCALC_MUTATIONS", "600"))
SEED = int(os.environ.get("FFNCALC_SEED", "20240607"))
SLOWEST = 5  # seconds of a core that one config may take
MEMORY = 8 * 2**30  # bytes of address space that all of this may take

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, 3, -1, -5, 7, 63, 64, 100, 10**4, 10**6, 10**9, 10**10, 10**30, -(10**30), 0.0, 0.5,
    1.0, 64.0, 1e300, float("nan"), float("inf"), "", "auto", "silu", "swiglu", "llama", "MMM*-", "-1", "\ud800", "é",
    [], [0], [1, 2, 3], [None], [[]], ["full_attention"], ["a"] * 5, {}, {"": None}, {"a": {"b": [1]}}, [{}],
)  # fmt: skip
KEYS = (
    "head_dim", "layer_types", "num_key_value_heads", "intermediate_size", "sliding_window", "num_experts",
    "rope_scaling", "num_local_experts", "num_experts_per_tok", "text_config", "vision_config", "architectures",
    "model_type", "num_labels", "tie_word_embeddings", "quantization_config", "mlp_only_layers", "id2label",
    "torch_dtype", "n_inner", "vocab_size",
)  # fmt: skip


@cache
def bases() -> list[tuple[str, dict[str, Any]]]:
    return [(name, json.loads(path.read_bytes())) for name, path in bundled.entries()]


def mutation(index: int) -> tuple[str, dict[str, Any]]:
    """The name of a bundled config and its mutation number `index`."""
    draw = random.Random(f"{SEED} {index}")
    name, base = draw.choice(bases())
    raw = copy.deepcopy(base)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        mutate(raw, draw)
    return name, raw


def mutate(raw: dict[str, Any], draw: random.Random) -> None:
    """Change one value somewhere in a config."""
    table: Any = draw.choice([raw, raw, *tables(raw)])
    keys: list[Any] = list(table) if isinstance(table, dict) else list(range(len(table)))
    if not keys:
        return
    key = draw.choice(keys)
    how = draw.randrange(6)
    if how == 0:
        del table[key]
    elif how == 1 and isinstance(table, dict):
        table[f"{key}{draw.choice('sx_')}"] = table.pop(key)
    elif how == 2 and isinstance(table, dict):
        table[draw.choice(KEYS)] = copy.deepcopy(draw.choice(VALUES))
    elif how == 3 and isinstance(table[key], int) and not isinstance(table[key], bool):
        table[key] = draw.choice((table[key] - 1, table[key] + 1, -table[key], table[key] * 1000, table[key] // 2))
    elif how == 4:
        table[key] = copy.deepcopy(table[draw.choice(keys)])
    else:
        table[key] = copy.deepcopy(draw.choice(VALUES))


def tables(value: Any) -> Iterator[Any]:
    """Every object and list inside a value."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield inner
            yield from tables(inner)


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer (others' time does not count), MemoryError in what takes too much."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    import resource  # only where there are signals of this kind

    space = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY if space[1] == resource.RLIM_INFINITY else min(MEMORY, space[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, space[1]))
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, space)


def count(raw: dict[str, Any]) -> str:
    """Load and count a config; the name of the error where it is refused."""
    try:
        model = ffncalc.load(raw)
        found = ffncalc.params(model)
        ffncalc.flops(model, ctx=4096)
        ffncalc.crossover(model)
        ffncalc.moe(model)
    except FfncalcError as error:
        return type(error).__name__ if str(error) else "refused without a word"
    assert int(found.total) >= int(found.active) >= 0
    return "counted"


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="needs a timer to stop what hangs")
def test_any_mutation_is_counted_or_refused() -> None:
    outcomes: Counter[str] = Counter()
    broken = []
    start = time.process_time()
    for index in range(COUNT):
        name, raw = mutation(index)
        try:
            with limited(SLOWEST):
                outcomes[count(raw)] += 1
        except Exception as error:
            broken.append(f"{index} of {name}: {type(error).__name__}: {str(error)[:200]}")
    print(f"{COUNT} mutations, seed {SEED}: {dict(outcomes)} in {time.process_time() - start:.1f} s of one core")
    assert broken == []
    assert set(outcomes) <= {"counted", "ConfigError", "UnsupportedModel", "FileError"}


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="needs a timer to stop what hangs")
def test_any_mutation_is_checked() -> None:
    broken = []
    for index in range(0, COUNT, 2):
        name, raw = mutation(index)
        data = json.dumps(raw).encode()
        try:
            with limited(SLOWEST):
                examine(data, "config.json")
        except Exception as error:
            broken.append(f"{index} of {name}: {type(error).__name__}: {str(error)[:200]}")
    assert broken == []


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every integer inside a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from numbers(inner, (*path, key))
        elif isinstance(inner, int) and not isinstance(inner, bool):
            yield (*path, key)


def sizes() -> Iterator[tuple[str, tuple[Any, ...], int, dict[str, Any]]]:
    """Every bundled config, with what its class would add, and one of its integers very large."""
    for name, base in bases():
        known = defaults().get(str(base.get("model_type")), {})
        whole = {key: value for key, value in known.items() if type(value) is int} | base
        for path in numbers(whole):
            for value in (10**9, 10**4):
                raw = copy.deepcopy(whole)
                table: Any = raw
                for key in path[:-1]:
                    table = table[key]
                table[path[-1]] = value
                yield name, path, value, raw


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="needs a timer to stop what hangs")
def test_any_very_large_number_is_counted_or_refused() -> None:
    broken = []
    for name, path, value, raw in islice(sizes(), 0, None, 1 if COUNT >= 10_000 else 41):
        try:
            with limited(SLOWEST):
                count(raw)
        except Exception as error:
            broken.append(f"{name} {path} {value}: {type(error).__name__}: {str(error)[:200]}")
    assert broken == []
