"""Heads whose rotated part is odd are found in every family with rotary positions, at the field that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.check.configs import ABSENT, LLAMA, changed, config, errors, found

SMALL = {"hidden_size": 254, "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 64}


def small(model_type: str, **keys: Any) -> dict[str, Any]:
    """The config of a family with 2 heads of 127, unless `keys` say another thing."""
    return SMALL | {"model_type": model_type, "intermediate_size": 512} | keys


def odd(raw: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Field, message and hint of what is odd."""
    return [(f.field, f.message.partition(" ")[0], f.hint) for f in found(raw) if f.code == "S003"]


ODD: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "heads of 4064 / 32": (LLAMA, {"hidden_size": 4064}, "hidden_size", "127"),
    "no key of rope": (LLAMA, {"head_dim": 127, "rope_theta": ABSENT, "rope_scaling": ABSENT}, "head_dim", "127"),
    "a share of 64": ("microsoft/phi-1_5", {"partial_rotary_factor": 0.27}, "partial_rotary_factor", "17"),
    "a share of 128": ("EleutherAI/pythia-6.9b", {"rotary_pct": 0.26}, "rotary_pct", "33"),
    "a share of 128 beside head_dim": ("zai-org/GLM-4.5", {"partial_rotary_factor": 0.0703125}, "partial_rotary_factor",
                                       "9"),
    "nested heads": ("google/gemma-3n-E2B-it", {"text_config": {"head_dim": 255}}, "text_config.head_dim", "255"),
    "a width of its own": ("EleutherAI/gpt-j-6b", {"rotary_dim": 33}, "rotary_dim", "33"),
    "the same beside head_dim": ("MiniMaxAI/MiniMax-M2", {"rotary_dim": 33}, "rotary_dim", "33"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_an_odd_rotated_part_is_found_at_the_field_that_makes_it_odd(name: str) -> None:
    base, change, field, width = ODD[name]
    whole = config(base)
    assert odd(whole) == []
    assert [found[:2] for found in odd(changed(whole, change))] == [(field, width)]


@pytest.mark.parametrize(
    "model_type",
    ["llama", "qwen2", "phi3", "nemotron", "gemma", "olmo2", "mistral", "starcoder2", "cohere", "gpt_neox_japanese"],
)
def test_no_key_of_rope_is_needed_where_the_class_has_it(model_type: str) -> None:
    ((field, width, _),) = odd(small(model_type, head_dim=127, partial_rotary_factor=1.0))
    assert (field, width) == ("head_dim", "127")


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [
        ("gpt2", {"rope_theta": ABSENT}),
        ("opt", {}),
        ("bert", {}),
        ("bloom", {}),
        ("mpt", {}),
        ("jamba", {"rope_theta": 10000.0}),
        ("falcon", {"alibi": True}),
        ("granitemoehybrid", {"position_embedding_type": "nope"}),
        ("esm", {"position_embedding_type": "absolute"}),
    ],
)
def test_families_without_rotary_positions_may_have_odd_heads(model_type: str, keys: dict[str, Any]) -> None:
    assert odd(changed(small(model_type), keys)) == []


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [
        ("falcon", {"alibi": False}),
        ("falcon", {}),
        ("granitemoehybrid", {"position_embedding_type": "rope"}),
        ("esm", {"position_embedding_type": "rotary"}),
    ],
)
def test_a_field_may_choose_rotary_positions(model_type: str, keys: dict[str, Any]) -> None:
    assert [field for field, *_ in odd(small(model_type, **keys))] == ["hidden_size"]


@pytest.mark.parametrize(
    ("model_type", "dim", "width"),
    [
        ("phi", 66, "33"),  # half of a head
        ("stablelm", 68, "17"),  # a quarter
        ("gpt_neox", 84, "21"),
        ("persimmon", 70, "35"),
        ("fuyu", 70, "35"),
    ],
)
def test_the_share_of_the_class_is_taken_where_the_file_has_none(model_type: str, dim: int, width: str) -> None:
    ((field, rotated, _),) = odd(small(model_type, hidden_size=2 * dim, partial_rotary_factor=None))
    assert (field, rotated) == ("hidden_size", width)


def test_hints_give_what_has_an_even_part() -> None:
    raw = config(LLAMA)
    assert odd(changed(raw, {"hidden_size": 4064})) == [("hidden_size", "127", "Write 4032 or 4096.")]
    assert odd(changed(raw, {"head_dim": 127})) == [("head_dim", "127", "Write 126 or 128.")]
    # 16 / 64 and 18 / 64, the second rounded up to four digits
    phi = changed(config("microsoft/phi-1_5"), {"partial_rotary_factor": 0.27})
    assert odd(phi) == [("partial_rotary_factor", "17", "Write 0.2813 or 0.25.")]
    assert int(64 * 0.2813) == 18


def test_a_share_for_each_kind_of_layer_is_read() -> None:
    ropes = {"full_attention": {"partial_rotary_factor": 0.26}, "sliding_attention": {"partial_rotary_factor": 0.25}}
    raw = changed(config(LLAMA), {"head_dim": 128, "rope_scaling": ABSENT, "rope_parameters": ropes})
    assert [field for field, *_ in odd(raw)] == ["rope_parameters.full_attention.partial_rotary_factor"]


def test_an_absurd_width_takes_a_moment() -> None:
    assert "S003 head_dim" in errors(changed(config(LLAMA), {"head_dim": 999_999_999}))
