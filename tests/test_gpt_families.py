"""Traps of the GPT-era families: flags that change tensors, spans and caches. Expected values by hand."""

from __future__ import annotations

from typing import Any

import pytest

import ffncalc
from ffncalc.errors import ConfigError
from ffncalc.ir import FULL, Model, Span

GPT = {"vocab_size": 100, "n_embd": 64, "n_layer": 2, "n_head": 4}
NEO = {"model_type": "gpt_neo", "vocab_size": 100, "hidden_size": 64, "num_layers": 4, "num_heads": 4}
MPT = {"model_type": "mpt", "vocab_size": 100, "d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 32}
FALCON = {"vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}


def total(raw: dict[str, Any]) -> int:
    return int(ffncalc.params(ffncalc.load(raw)).total)


def spans(model: Model) -> dict[int, Span]:
    return {i: m.span for b in model.layers for p in b.parts for m in p.mixing() for i in b.indexes}


def cached(model: Model) -> int:
    """Elements kept per token, all layers together."""
    return sum(int(c.per_token) * b.count for b in model.layers for p in b.parts for c in p.cache())


def test_gpt2_as_a_decoder_adds_cross_attention_and_its_norm() -> None:
    added = total(GPT | {"model_type": "gpt2", "add_cross_attention": True}) - total(GPT | {"model_type": "gpt2"})
    assert added == 2 * ((64 * 128 + 128) + 2 * (64 * 64 + 64) + 2 * 64)


def test_cross_attention_attends_the_source() -> None:
    model = ffncalc.load(GPT | {"model_type": "gpt2", "add_cross_attention": True})
    mixings = [m for p in model.layers[0].parts for m in p.mixing()]
    assert [(int(m.per_key), m.span) for m in mixings] == [(4 * 64, FULL), (4 * 64, Span("source"))]


def test_gpt_bigcode_keeps_one_head_of_keys_and_values() -> None:
    assert cached(ffncalc.load(GPT | {"model_type": "gpt_bigcode"})) == 2 * 2 * 16
    assert cached(ffncalc.load(GPT | {"model_type": "gpt_bigcode", "multi_query": False})) == 2 * 2 * 64


def test_gpt_bigcode_cannot_cross_attend_with_one_head() -> None:
    with pytest.raises(ConfigError, match="add_cross_attention"):
        ffncalc.load(GPT | {"model_type": "gpt_bigcode", "add_cross_attention": True})


def test_gpt_neo_alternates_global_and_local_attention() -> None:
    model = ffncalc.load(NEO | {"attention_types": [[["global", "local"], 2]], "window_size": 8})
    local = Span("sliding", 8)
    assert spans(model) == {0: FULL, 1: local, 2: FULL, 3: local}


@pytest.mark.parametrize("types", [[[["global"], 3]], None], ids=["too few", "the class default is 24 layers"])
def test_gpt_neo_pattern_of_the_wrong_length_is_an_error(types: list[Any] | None) -> None:
    with pytest.raises(ConfigError, match="num_layers is 4"):
        ffncalc.load(NEO | {"attention_types": types})


def test_opt_narrow_embedding_is_projected_in_and_out() -> None:
    raw = {
        "model_type": "opt",
        "vocab_size": 100,
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "ffn_dim": 128,
    }
    assert total(raw | {"word_embed_proj_dim": 32}) - total(raw) == 2 * 32 * 64 - 100 * 32
    assert total(raw | {"do_layer_norm_before": False}) == total(raw) - 2 * 64
    assert total(raw | {"_remove_final_layer_norm": True}) == total(raw) - 2 * 64


@pytest.mark.parametrize(
    ("flags", "kv_heads"),
    [
        ({}, 1),
        ({"num_kv_heads": 2}, 1),
        ({"multi_query": False}, 4),
        ({"new_decoder_architecture": True, "num_kv_heads": 2}, 2),
        ({"new_decoder_architecture": True}, 4),
    ],
    ids=["multi-query", "its own field is not read then", "multi-head", "grouped", "grouped by default"],
)
def test_falcon_flags_decide_on_key_value_heads(flags: dict[str, Any], kv_heads: int) -> None:
    assert cached(ffncalc.load(FALCON | {"model_type": "falcon"} | flags)) == 2 * 2 * kv_heads * 16


def test_refined_web_names_and_defaults_are_those_of_its_own_code() -> None:
    old = {"vocab_size": 100, "hidden_size": 64, "n_layer": 2, "n_head": 4}
    grouped = FALCON | {"model_type": "falcon", "new_decoder_architecture": True, "num_kv_heads": 2}
    assert total(old | {"model_type": "RefinedWeb", "n_head_kv": 2}) == total(grouped)
    plain = FALCON | {"model_type": "falcon", "multi_query": False, "parallel_attn": False}
    assert total(old | {"model_type": "RefinedWebModel"}) == total(plain)
    shared = old | {"model_type": "RefinedWebModel", "multi_query": True, "parallel_attn": True}
    assert total(shared) == total(FALCON | {"model_type": "falcon"})


def test_mpt_options_change_the_checkpoint_of_the_class_that_reads_them() -> None:
    plain = total(MPT | {"architectures": ["MPTForCausalLM"]})
    assert plain == 100 * 64 + 2 * (12 * 64 * 64 + 2 * 64) + 64
    foundry = MPT | {"architectures": ["MPTForCausalLM"]}
    assert total(foundry | {"expansion_ratio": 2}) == plain - 2 * 4 * 64 * 64
    assert total(foundry | {"attn_config": {"alibi": False}}) == plain + 32 * 64
    assert total(foundry | {"attn_config": {"attn_type": "multiquery_attention"}}) == plain - 2 * 2 * 64 * 48
    biases = 2 * ((3 * 64 + 64) + (4 * 64 + 64) + 2 * 64) + 64
    assert total(foundry | {"no_bias": False}) == plain + biases


def test_mpt_of_the_class_that_does_not_read_them_says_so() -> None:
    model = ffncalc.load(MPT | {"architectures": ["MptForCausalLM"], "expansion_ratio": 2})
    assert int(ffncalc.params(model).total) == 100 * 64 + 2 * (12 * 64 * 64 + 2 * 64) + 64
    assert "expansion_ratio" in model.notes[0]


def test_bloom_takes_n_embed_before_hidden_size() -> None:
    raw = {"model_type": "bloom", "vocab_size": 100, "n_layer": 2, "n_head": 4}
    assert total(raw | {"hidden_size": 64, "n_embed": 32}) == total(raw | {"hidden_size": 32})
