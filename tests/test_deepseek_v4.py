"""DeepSeek-V4: compressed keys, experts chosen by token, and the published checkpoint to the last element.

FLOPs were counted by torch.utils.flop_counter on transformers' own model, as in test_moe_families.
"""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.analysis.flops import flops
from ffncalc.errors import ConfigError
from ffncalc.ir import Span, walk

SMALL: dict[str, Any] = {
    "model_type": "deepseek_v4",
    "vocab_size": 100,
    "hidden_size": 32,
    "moe_intermediate_size": 12,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "head_dim": 16,
    "q_lora_rank": 8,
    "num_experts_per_tok": 2,
    "n_routed_experts": 4,
    "compress_ratios": [0, 128, 4, 128, 4, 0],
    "num_hash_layers": 1,
    "o_groups": 2,
    "o_lora_rank": 6,
    "index_n_heads": 2,
    "index_head_dim": 8,
    "index_topk": 4,
}


@pytest.mark.parametrize("span", [Span("full", stride=4), Span("top_k", 3, 4), Span("top_k", 5, 1)])
def test_keys_of_all_positions_add_up(span: Span) -> None:
    for n in range(1, 60):
        assert span.total(n) == sum(span.keys(i) for i in range(1, n + 1))


def test_a_key_is_there_once_all_its_tokens_are() -> None:
    assert [Span("full", stride=4).keys(n) for n in (1, 3, 4, 7, 8)] == [0, 0, 1, 1, 2]
    assert [Span("top_k", 2, 4).keys(n) for n in (4, 8, 12, 400)] == [1, 2, 2, 2]


def test_a_pass_costs_what_a_profiler_counts() -> None:
    found = flops(ffncalc.load(SMALL), ctx=[1, 96], full=True)
    assert [int(point.total) * point.ctx for point in found.points] == [153_856, 27_770_880]


def test_the_crossover_is_the_first_context_that_reaches_the_ffn() -> None:
    """Per layer the FFN costs 3 × 2 × 3 × 32 × 60 = 34,560, a key 4 × 4 × 16 = 256: 135 keys.

    The window has 128 of them, so seven compressed keys of 128 tokens each must be complete.
    """
    model = ffncalc.load(SMALL | {"compress_ratios": [128] * 5, "moe_intermediate_size": 60})
    assert ffncalc.crossover(model).ctx == 7 * 128
    before, at = flops(model, ctx=[895, 896]).points
    assert before.by_category["attention_core"] < before.by_category["ffn"]
    assert at.by_category["attention_core"] == at.by_category["ffn"]


def test_the_published_checkpoint_to_the_last_element() -> None:
    """DeepSeek-V4-Flash stores 158,069,433,298 elements: two 4-bit weights of an expert in one, and scales.

    Expert weights have a scale per 32, [2048, 128] or [4096, 64] each; the other matrices of a layer one per
    128 × 128: wq_a 8 × 32, … 8,064 in all; so do the indexers (64 × 8) and the two projections of the last layer.
    """
    model = ffncalc.load("deepseek-ai/DeepSeek-V4-Flash")
    tensors = [(b.count, t) for blocks in (model.blocks, model.mtp) for b, _, t in walk(blocks)]
    hidden = [(b.count, t) for blocks in (model.blocks, model.mtp) for b, _, t in walk(blocks, buffers=True)]
    stored = sum(count * t.stored // (2 if t.copies == 256 else 1) for count, t in tensors + hidden)
    expert = 2 * 2048 * 128 + 4096 * 64
    scales = 44 * (256 * expert + 8_064) + 21 * 64 * 8 + 2 * 32 * 32
    assert stored + scales == 158_069_433_298


def test_the_first_layers_choose_experts_by_a_table_and_the_others_by_score() -> None:
    names = {b.named(p, t): t.shape for b, p, t in walk(ffncalc.load(SMALL).blocks, buffers=True)}
    assert names == {"layers.{layer}.ffn.gate.tid2eid": (100, 2), "layers.{layer}.ffn.gate.bias": (4,)}


def test_the_window_and_the_compressed_keys_are_kept() -> None:
    model = ffncalc.load(SMALL)
    sparse = next(block for block in model.layers if 2 in block.indexes)
    kept = [cache for part in sparse.parts for cache in part.cache()]
    assert [(c.per_token, c.span) for c in kept] == [
        (16, Span("sliding", 128)),
        (16, Span("full", stride=4)),
        (8, Span("full", stride=4)),
    ]


@pytest.mark.parametrize(
    ("own", "error"),
    [
        ({"compress_ratios": [0, 4]}, "compress_ratios: has 2 entries, but num_hidden_layers is 5"),
        ({"compress_ratios": [0, 4, 7, 0, 0]}, "compress_ratios: unknown entry 7"),
        ({"mlp_layer_types": ["dense"] * 5}, "mlp_layer_types: unknown entry 'dense'"),
    ],
)
def test_a_wrong_list_is_an_error_that_names_it(own: dict[str, Any], error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        ffncalc.load(SMALL | own)
