"""Splits of models over devices; expected values worked out by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

import ffncalc
from ffncalc.analysis.blocks import block_in
from ffncalc.analysis.parallel import divisors, kv_split, parallel, whole_blocks
from tests.check.configs import DEEPSEEK, LLAMA, changed, config
from tests.command import Here


def works(name: str, change: Mapping[str, object] | None = None, block: int | None = None) -> list[int]:
    """The tensor splits that work."""
    found = parallel(ffncalc.load(changed(config(name), change or {})), block=block)
    return [split.tp for split in found.splits if split.works]


def test_llama_splits_over_every_divisor_of_its_heads() -> None:
    # 32 heads, 8 kv heads, 14336 = 2^11 · 7
    assert works(LLAMA) == [1, 2, 4, 8, 16, 32]


def test_40_heads_split_over_8_at_most() -> None:
    change = {"num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128}
    assert works(LLAMA, change) == [1, 2, 4, 8]  # 5, 10, 20 and 40 do not divide 8 kv heads or 14336


def test_groups_of_128_keep_29568_whole() -> None:
    # 29568 / 128 = 231 = 3 · 7 · 11, and neither divides 32 heads
    assert works(LLAMA, {"intermediate_size": 29568}, 128) == [1]
    assert works(LLAMA, {"intermediate_size": 29696}, 128) == [1, 2, 4, 8]  # 232 = 2^3 · 29


def test_blocks_of_128_in_deepseek_v3() -> None:
    # dense 18432 / 32 = 576 and expert 2048 / 32 = 64 are no multiples of 128; 2048 / 16 = 128 is
    assert works(DEEPSEEK, block=128) == [1, 2, 4, 8, 16]


def test_experts_and_layers() -> None:
    found = parallel(ffncalc.load(config(DEEPSEEK)))
    assert found.ep == (1, 2, 4, 8, 16, 32, 64, 128, 256)
    assert found.pp == (1, 61)


def test_latent_attention_copies_its_cache_to_every_rank() -> None:
    found = {split.tp: split for split in parallel(ffncalc.load(config(DEEPSEEK))).splits}
    assert [(found[tp].kv_heads, found[tp].kv_copies) for tp in (1, 8, 128)] == [((1,), 1), ((1,), 8), ((1,), 128)]


def test_every_split_shows_how_many_kv_heads_a_rank_holds(run: Here) -> None:
    for name, shown in ((DEEPSEEK, {"1": "1", "8": "1 × 8 copies"}), (LLAMA, {"1": "8", "16": "1 × 2 copies"})):
        rows = [re.split(r"\s{2,}", line.strip()) for line in run("parallel", name).out.splitlines()]
        cells = {row[0]: row[2] for row in rows if row[0].isdecimal()}
        assert {tp: cells[tp] for tp in shown} == shown


@pytest.mark.parametrize(
    ("heads", "tp", "copies"), [(8, 4, 1), (8, 8, 1), (8, 16, 2), (4, 8, 2), (8, 12, None), (1, 8, 8)]
)
def test_kv_heads_are_shared_out_or_copied(heads: int, tp: int, copies: int | None) -> None:
    assert kv_split(heads, tp) == copies


@pytest.mark.parametrize(
    ("width", "tp", "whole"),
    [(29568, 1, True), (29568, 2, False), (18432, 32, False), (768, 4, False), (2048, 16, True), (1407, 1, True)],
)
def test_whole_blocks_of_128(width: int, tp: int, whole: bool) -> None:
    assert whole_blocks(width, tp, 128) is whole


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"quant_method": "awq", "group_size": 128}, (128, "group_size")),
        ({"quant_method": "fp8", "weight_block_size": [128, 64]}, (64, "weight_block_size")),
        ({"quant_method": "fp8"}, None),
        ({"quant_method": "gptq", "group_size": -1}, None),
        ({"quant_method": "mxfp4"}, (32, "")),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"group_size": 32}}}},
            (32, "config_groups.group_0.weights.group_size"),
        ),
        ({}, None),
    ],
    ids=str,
)
def test_blocks_of_quantisations(table: dict[str, object], expected: tuple[int, str] | None) -> None:
    assert block_in(table) == expected


def test_divisors_of_several_numbers() -> None:
    assert divisors([48, 36]) == (1, 2, 3, 4, 6, 12)


def test_the_command_prints_every_split(run: Here) -> None:
    code, out, err = run("parallel", LLAMA, "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["models"][0]["parallel"]["tp"] == [1, 2, 4, 8, 16, 32]
    assert "tensor parallel" in run("parallel", LLAMA).out


def test_a_block_may_be_given(run: Here) -> None:
    data = json.loads(run("parallel", LLAMA, "--block", "1024", "-f", "json").out)
    assert data["models"][0]["parallel"]["tp"] == [1, 2]  # 14336 / 1024 = 14
