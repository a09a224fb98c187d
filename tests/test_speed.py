"""How fast it is: configs per second, flatness in layers and experts, start-up, and the meta-device way beside it.

Times depend on the machine and on what else runs, so they are printed (`pytest tests/test_speed.py -s`) and bounded
with room; what makes them what they are, the number of distinct blocks that are looked at, is asserted exactly.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import ffncalc
from ffncalc import source
from ffncalc.ir import Model

LLAMA, DEEPSEEK = "meta-llama/Llama-3.1-8B", "deepseek-ai/DeepSeek-V3"
DEPENDENCIES = "import typer, rich.console, rich.table, pydantic; from pydantic import BaseModel"
META_DEVICE = """
import torch, transformers
config = transformers.LlamaConfig(vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
                                  num_attention_heads=32, num_key_value_heads=8, tie_word_embeddings=False)
with torch.device("meta"):
    print(transformers.LlamaForCausalLM(config).num_parameters())
"""


def everything(raw: Mapping[str, Any]) -> Model:
    """A parsed config to all results: the count, the cost at a context, both crossovers."""
    model = ffncalc.load(raw)
    ffncalc.params(model)
    ffncalc.flops(model, ctx=8192)
    return model


@pytest.mark.parametrize("name", [LLAMA, DEEPSEEK])
@pytest.mark.benchmark(max_time=0.5, min_rounds=20, group="a parsed config to all results")
def test_configs_per_second(benchmark: BenchmarkFixture, name: str) -> None:
    raw = source.load(name).raw
    benchmark(everything, raw)
    if benchmark.stats is not None:  # absent with --benchmark-disable
        best = benchmark.stats.stats.min
        print(f"\n{name}: {1 / best:,.0f} configs/s")
        assert best < 0.005  # of 0.001 on a machine of 2023 that does nothing else


DEEPER = {"num_hidden_layers": 610}
WIDER = {"n_routed_experts": 2560, "n_group": 8}


@pytest.mark.parametrize("more", [DEEPER, WIDER], ids=["ten times the layers", "ten times the experts"])
def test_what_repeats_is_described_once(more: dict[str, int]) -> None:
    raw = dict(source.load(DEEPSEEK).raw)
    small, large = everything(raw), everything(raw | more)
    assert ffncalc.params(large).total > 5 * ffncalc.params(small).total
    assert len(list(large.tensors())) == len(list(small.tensors()))
    assert len(large.blocks) == len(small.blocks)
    ratio = best(lambda: everything(raw | more)) / best(lambda: everything(raw))
    print(f"\n{more}: {ratio:.2f} × the time")
    assert ratio < 5


def test_start_up_beside_that_of_the_dependencies() -> None:
    commands = {
        "ffncalc params": [sys.executable, "-m", "ffncalc", "params", LLAMA],
        "its dependencies": [sys.executable, "-c", DEPENDENCIES],
    }
    pairs = [[timed(command)[0] for command in commands.values()] for _ in range(11)]
    ours, theirs = (statistics.median(found) for found in zip(*pairs, strict=True))
    ratio = statistics.median(own / other for own, other in pairs)
    print(f"\nparams: {ours * 1000:.0f} ms, its dependencies: {theirs * 1000:.0f} ms, median of the ratios {ratio:.2f}")
    assert ratio < 1.5  # of 1.25 where nothing else runs


@pytest.mark.oracle
def test_start_up_beside_the_meta_device_way() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    ours, text = timed([sys.executable, "-m", "ffncalc", "params", LLAMA])
    theirs, total = timed([sys.executable, "-c", META_DEVICE])
    assert f"{int(total):,}" in text
    print(f"\nffncalc params: {ours:.2f} s, on the meta device: {theirs:.2f} s: {theirs / ours:.0f} ×")
    assert ours < theirs


def best(work: Callable[[], object], rounds: int = 30) -> float:
    """The shortest time of some rounds: what the work takes when nothing else runs."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def timed(command: list[str]) -> tuple[float, str]:
    """The seconds that a process takes, and what it prints."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout
