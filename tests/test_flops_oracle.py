"""FLOPs against torch's own counter: `--full` × positions, for every bundled config that the counter can run.

`tests/oracle/flops.py` writes the counts. What the counter sees otherwise is named below, and is the only difference.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.cost import cost
from ffncalc.ir import Model, Role, Stream, Use
from tests.oracle import flops as oracle
from tests.oracle import refresh

COUNTS: dict[str, dict[str, Any]] = json.loads(oracle.FILE.read_text())
COUNTED = sorted(name for name, row in COUNTS.items() if "error" not in row)

# Their scans run in chunks of products, padded to a whole chunk: the counter sees those products, which are more work
# than the recurrence. The weights' products and the attention core must still agree exactly.
CHUNKED = {
    "bamba": 256,
    "falcon_h1": 256,
    "granitemoehybrid": 256,
    "kimi_linear": 64,
    "mamba2": 256,
    "nemotron_h": 128,
    "olmo_hybrid": 64,
    "qwen3_5": 64,
    "qwen3_5_moe": 64,
    "qwen3_next": 64,
    "zamba2": 256,
}
# Their scans are element-wise but for the readout, one product of the three that we count per state element.
SCANNED = {"falcon_mamba", "jamba", "mamba", "zamba"}
# Lightning attention and mLSTM run in blocks: the products within the first block stand in place of the state update.
BLOCKED = {"minimax", "xlstm"}
ELEMENTWISE = {"recurrent_gemma", "rwkv"}  # state updates without any matrix product
CONVOLVED = {"squeezebert"}  # their projections are grouped convolutions, which are matrix products
PROMPTED = {"cpmant": 32}  # prompts that their code puts before the text, and that the head does not see
LOCAL = {"longt5"}  # attends blocks padded to their full length, on three of them at once


TYPES = {name: json.loads((refresh.CONFIGS / f"{name}.json").read_bytes())["model_type"] for name in COUNTED}


@pytest.mark.parametrize("name", [name for name in COUNTED if TYPES[name] not in LOCAL])
def test_every_product_of_the_counter_is_accounted_for(name: str) -> None:
    model, row = ffncalc.load(name), COUNTS[name]
    for n in oracle.LENGTHS:
        counts = row[str(n)]
        taps = 0 if model.model_type in CONVOLVED else counts.get("convolution", 0)  # of depthwise convolutions
        assert sum(counts.values()) - taps == ours(model, n) + others(model, n, counts)


@pytest.mark.parametrize("name", [name for name in COUNTED if TYPES[name] in {*CHUNKED, *BLOCKED}])
def test_weights_of_chunked_scans_multiply_each_token_once(name: str) -> None:
    """The projections of recurrent layers are `mm` and `addmm`; scans, experts and attention cores are `bmm`."""
    model, row = ffncalc.load(name), COUNTS[name]
    routed = 2 * sum(runs * int(t.active) for runs, t in weights(model) if t.role is Role.ROUTED)
    constant = sum(map(int, cost(model).constant.values()))
    for n in oracle.LENGTHS:
        products = row[str(n)].get("mm", 0) + row[str(n)].get("addmm", 0)
        assert products == n * (constant - routed - states(model))


@pytest.mark.parametrize("name", [name for name in COUNTED if TYPES[name] in CHUNKED])
def test_products_of_a_scan_are_the_same_in_each_padded_chunk(name: str) -> None:
    model, row = ffncalc.load(name), COUNTS[name]
    size = CHUNKED[model.model_type]
    (one, many) = (Fraction(bmm_of_scan(model, n, row[str(n)]), -(-n // size)) for n in oracle.LENGTHS)
    assert one == many
    assert one > states(model)  # more work than the recurrence itself


def ours(model: Model, n: int) -> int:
    """FLOPs of a pass over n tokens, every key counted; source tokens too."""
    found = ffncalc.flops(model, ctx=n, full=True)
    return int(n * sum(point.total for point in (*found.points, *found.source)))


def others(model: Model, n: int, counts: dict[str, int]) -> int:
    """What the counter sees besides, or does not see."""
    once = 2 * sum(runs * int(t.size) for runs, t in weights(model) if t.use is Use.SEQUENCE)
    if prompts := PROMPTED.get(model.model_type):
        heads = 2 * sum(runs * int(t.size) for runs, t in weights(model) if t.role is Role.HEAD)
        return once + ours(model, n + prompts) - ours(model, n) - prompts * heads
    if model.model_type in ELEMENTWISE:
        return once - n * states(model)
    if model.model_type in SCANNED:
        return once - n * states(model) * 2 // 3
    if model.model_type in {*CHUNKED, *BLOCKED}:
        return once + bmm_of_scan(model, n, counts) - n * states(model)
    if model.model_type == "llama4":  # its code runs every expert, on inputs that are zero where it was not chosen
        idle = (
            runs * int(t.size) * (int(t.copies) - int(t.used)) for runs, t in weights(model) if t.role is Role.ROUTED
        )
        return once + n * 2 * sum(idle)
    if model.model_type == "gemma3n":  # the embedders of image and sound tokens run over every token, then masked
        embedders = (b.count * int(t.size) for b, p, t in model.tensors() if "embedding_projection" in b.named(p, t))
        return once + n * 2 * sum(embedders)
    return once


def bmm_of_scan(model: Model, n: int, counts: dict[str, int]) -> int:
    """Batched products that are neither experts nor the attention core."""
    routed = 2 * sum(runs * int(t.active) for runs, t in weights(model) if t.role is Role.ROUTED)
    core = sum(int(s.per_key) for s in cost(model).slopes)
    return counts.get("bmm", 0) - n * routed - n * n * core


def states(model: Model) -> int:
    """FLOPs of the state updates of one token."""
    blocks = [block for block in model.blocks if block.stream is Stream.TOKEN]
    return sum(b.count * b.calls * int(m.per_token) for b in blocks for p in b.parts for m in p.mixing())


def weights(model: Model) -> list[tuple[int, Any]]:
    """(runs, tensor) of all weights that a text token meets."""
    blocks = [block for block in model.blocks if block.stream is not Stream.MEDIA]
    return [(b.count * b.calls, t) for b in blocks for p in b.parts for t in p.weights]


def test_the_counter_ran_most_models() -> None:
    assert len(COUNTED) > 200
    assert set(TYPES.values()) > {*CHUNKED, *BLOCKED, *LOCAL, "gemma3n"}


def test_llama_at_1024_positions() -> None:
    """The counter's number for this model and length, as published with it."""
    assert ours(ffncalc.load("meta-llama/Llama-3.1-8B"), 1024) == 15_919_296_282_624


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["openai-community/gpt2", "google-bert/bert-base-uncased", "Qwen/Qwen3-0.6B"])
def test_the_counter_still_says_so(name: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    raw = json.loads((refresh.CONFIGS / f"{name}.json").read_bytes())
    assert oracle.counts(raw) == COUNTS[name]
